import type { Ex } from '../../src/vm/compile/ir.ts'
import type { St } from '../../src/vm/compile/ir-statements.ts'
import { ASSIGNMENT_OPERATORS, LOGICAL_OPERATORS, UNARY_OPERATORS } from '../../src/vm/compile/operators.ts'
import { BUILTIN_RULES } from '../../src/vm/labels/rules/builtin-rules.ts'
import { BINARY_RULES } from '../../src/vm/labels/rules/operator-rules.ts'
import { callOf, isPromised } from './builtin-calls.ts'

/** What a production needs of the program that is being written. */
export interface Slots {
  number(): string
  text(): string
  flag(): string
  list(): string
  record(): string
  /** Something of any of these kinds. */
  any(): string
  /** What is kept of what a built-in gave; `isPromise`: it may be a promise. */
  kept(made: string, isPromise: boolean): string
  /** A name that nothing has yet. */
  fresh(): string
}

/** Writes one statement that uses a thing of the language; `name` becomes what it gave. */
type Write = (slots: Slots, name: string) => string

export interface Production {
  /** The kind, operator or built-in that it is about. */
  readonly of: string
  readonly write: Write
}

const value =
  (expression: (slots: Slots) => string): Write =>
  (slots, name) =>
    `let ${name} = ${expression(slots)}`

/** Why scripts that a generator writes need no production for a kind. */
interface None {
  readonly none: string
}

const inside = (around: string): None => ({ none: `every ${around} has it` })
const json: None = { none: 'JSON programs alone have it' }
const labels: None = { none: 'made where labels are followed' }

/** How every kind of node is written: one without a line here does not compile. */
export const NODE_PRODUCTIONS: Readonly<Record<Ex['k'] | St['k'], Write | None>> = {
  lit: value(() => '7'),
  data: json,
  var: (slots, name) => `let ${name} = ${slots.number()}; ${name} = ${name}`,
  temp: inside('call that waits'),
  arg: json,
  member: value((s) => `${s.record()}.a`),
  index: value((s) => `${s.list()}[${s.number()}]`),
  binary: value((s) => `${s.number()} + ${s.number()}`),
  unary: value((s) => `!${s.flag()}`),
  logical: value((s) => `${s.flag()} && ${s.number()}`),
  conditional: value((s) => `${s.flag()} ? ${s.number()} : ${s.text()}`),
  list: value((s) => `[${s.number()}, ${s.text()}]`),
  object: value((s) => `{ a: ${s.number()}, b: ${s.text()} }`),
  template: value((s) => `\`\${${s.number()}}-\${${s.text()}}\``),
  call: value((s) => `String(${s.number()})`),
  method: value((s) => `${s.list()}.includes(${s.number()})`),
  found: inside('method call with arguments that wait'),
  fn: value((s) => `((p) => [p, ${s.number()}])(${s.text()})`),
  assign: (s, name) => `let ${name} = 0; ${name} = ${s.number()}`,
  update: (s, name) => `let ${name} = ${s.number()}; ${name}++`,
  sequence: value((s) => `(${s.number()}, ${s.text()})`),
  await: inside('tool call'),
  yield: value((s) => `[...(function* () { const got = yield ${s.number()}; yield* ${s.list()}; return got })()]`),
  regex: value((s) => `/a|p/.test(${s.text()})`),
  new: value((s) => `[...new Set(${s.list()})]`),
  chain: value((s) => `${s.record()}?.a?.b`),
  spread: value((s) => `[...${s.list()}, ${s.number()}]`),
  tolist: (s, name) => `let [${name} = 0] = ${s.list()}`,
  omit: (s, name) => `let { a: ${s.fresh()}, ...${name} } = ${s.record()}`,
  class: value(
    (s) =>
      `new (class { constructor(p) { this.p = p; this.q = ${s.text()} } get both() { return [this.p, this.q] } })(${s.number()}).both`,
  ),
  create: value((s) => `{ ...new (class { x = ${s.number()}; y = ${s.record()} })() }`),
  super: value(
    (s) =>
      `new (class extends (class { constructor(n) { this.n = n } of(k) { return [this.n, k] } }) { of(k) { return super.of(k).concat(${s.number()}) } })(${s.number()}).of(${s.text()})`,
  ),
  private: value(
    (s) =>
      `new (class { #n = ${s.number()}; add(k) { this.#n += k; return [this.#n, #n in ${s.record()}] } })().add(${s.number()})`,
  ),
  strings: value((s) => `((t, ...v) => [t.raw.length, ...v])\`a\${${s.number()}}b\${${s.text()}}\``),
  input: json,
  decide: labels,
  part: labels,
  iterated: labels,
  expr: (s, name) => `let ${name} = 0; ${s.number()}`,
  let: value((s) => s.text()),
  function: (s, name) => `let ${name} = 0; { function g${name}(p) { return p } ${name} = g${name}(${s.number()}) }`,
  block: (s, name) => `let ${name} = 0; { ${name} = ${s.number()} }`,
  if: (s, name) => `let ${name} = 0; if (${s.flag()}) ${name} = 1; else ${name} = ${s.number()}`,
  loop: (s, name) => `let ${name} = 0; while (${name} < 3 && ${s.flag()}) ${name}++`,
  forof: (s, name) => `let ${name} = 0; for (${name} of ${s.list()}) {}`,
  switch: (s, name) => `let ${name} = 0; switch (${s.number()}) { case 1: ${name} = 1; default: ${name} += 2 }`,
  exit: (s, name) => `let ${name} = 0; for (; ${name} < 3; ${name}++) { if (${s.flag()}) break }`,
  labeled: (s, name) => `let ${name} = 0; L${name}: { if (${s.flag()}) break L${name}; ${name} = 1 }`,
  throw: (s, name) => `let ${name} = 0; try { throw ${s.number()} } catch (e) { ${name} = e }`,
  try: (s, name) =>
    `let ${name} = 0; try { if (${s.flag()}) throw 1; ${name} = 1 } catch { ${name} = 2 } finally { ${name}++ }`,
  return: value((s) => `(() => { if (${s.flag()}) return 1; return ${s.number()} })()`),
  settemp: inside('call that waits'),
  awaitto: inside('tool call'),
  yieldto: inside('yield'),
  callto: inside('call of a function'),
  request: json,
  append: json,
  constset: json,
  mark: labels,
}

const BINARY = Object.keys(BINARY_RULES)

function binary(op: string): Write {
  if (op === 'in') return value((s) => `'a' in ${s.record()}`)
  if (op === 'instanceof') return value((s) => `${s.list()} instanceof Array`)
  return value((s) => `(${s.number()} ${op} ${s.number()})`)
}

function unary(op: string): Write {
  if (op === 'delete') return (s, name) => `let ${name} = { ...${s.record()} }; delete ${name}.a`
  return value((s) => `${op} ${s.number()}`)
}

const nodes = Object.entries(NODE_PRODUCTIONS).flatMap(([of, write]): Production[] =>
  typeof write === 'function' ? [{ of, write }] : [],
)

/** A call of a built-in: it may fail, and then it gave nothing. */
function builtin(path: string): Write {
  return (s, name) => `let ${name} = 0; try { ${name} = ${s.kept(callOf(path, s), isPromised(path))} } catch {}`
}

/** Things of the language that share their kinds of nodes with others. */
const SHARED: readonly (readonly [of: string, write: Write])[] = [
  ['getter', value((s) => `{ n: ${s.number()}, get double() { return this.n * 2 } }.double`)],
  [
    'setter',
    (s, name) => `let ${name} = { n: 0, set to(v) { this.n = v } }; if (${s.flag()}) ${name}.to = ${s.number()}`,
  ],
  ['this', value((s) => `{ n: ${s.number()}, of(k) { return [this.n, k] } }.of(${s.text()})`)],
  ['this of a call', value((s) => `(function (k) { return [this.n, k] }).call({ n: ${s.number()} }, ${s.text()})`)],
  [
    'bind',
    value((s) => `(function (...k) { return [this.n, ...k] }).bind({ n: ${s.number()} }, ${s.text()})(${s.flag()})`),
  ],
  [
    'this that is written',
    (s, name) =>
      `let ${name} = { n: 0, set(k) { if (${s.flag()}) this.n = k; return this } }; ${name}.set(${s.number()}); ${name} = ${name}.n`,
  ],
  [
    'constructor function',
    (s, name) =>
      `function F${name}(p) { this.p = p } F${name}.prototype.of = function () { return [this.p, ${s.number()}] }; let ${name} = new F${name}(${s.text()}).of()`,
  ],
  ['arguments', value((s) => `(function () { return [arguments.length, ...arguments] })(${s.number()}, ${s.text()})`)],
  [
    'statics',
    (s, name) =>
      `class C${name} { static n = ${s.number()}; static #m = 1; static add(k) { this.n += k; C${name}.#m++; return C${name}.#m } } if (${s.flag()}) C${name}.add(2); let ${name} = C${name}.n`,
  ],
  [
    'class that is written in a branch',
    (s, name) =>
      `class C${name} { #n = 0; m = 1; put(k) { this.#n = k; this.m += k } get() { return [this.#n, this.m] } } let ${name} = new C${name}(); if (${s.flag()}) ${name}.put(${s.number()}); ${name} = ${name}.get()`,
  ],
  [
    'error class',
    (s, name) =>
      `class E${name} extends Error { constructor(m, k) { super(m); this.name = 'E'; this.k = k } } let ${name} = 0; try { if (${s.flag()}) throw new E${name}(${s.text()}, ${s.number()}); ${name} = 1 } catch (e) { ${name} = [e instanceof E${name}, e.message, e.k] }`,
  ],
  [
    'class that is chosen',
    (s, name) =>
      `let ${name} = new (${s.flag()} ? class { of() { return 1 } } : class { of() { return ${s.number()} } })().of()`,
  ],
  [
    'key that is computed',
    (s, name) =>
      `let ${name} = new (class { [\`k\${${s.number()}}\`]() { return 1 } static [${s.text()}] = 2 })(); ${name} = 'k1' in ${name}`,
  ],
  [
    'prototype',
    (s, name) =>
      `let ${name} = Object.create({ p: ${s.number()} }); if (${s.flag()}) ${name}.p = 1; ${name} = [${name}.p, Object.keys(${name}).length]`,
  ],
  [
    'accessor that is defined',
    (s, name) =>
      `let ${name} = Object.defineProperty({}, 'p', { get: () => ${s.number()}, enumerable: ${s.flag()} }); ${name} = [${name}.p, Object.keys(${name}).length]`,
  ],
  [
    'toString of a class',
    (s, name) =>
      `let ${name} = \`\${new (class { n = ${s.number()}; toString() { return 'n' + this.n } toJSON() { return [this.n] } })()}\``,
  ],
]

/** One production for each node and operator of the language. */
export const LISTED: readonly Production[] = [
  ...nodes,
  ...SHARED.map(([of, write]) => ({ of, write })),
  ...BINARY.map((op) => ({ of: `binary ${op}`, write: binary(op) })),
  ...UNARY_OPERATORS.map((op) => ({ of: `unary ${op}`, write: unary(op) })),
  ...LOGICAL_OPERATORS.map((op) => ({ of: `logical ${op}`, write: value((s) => `(${s.flag()} ${op} ${s.number()})`) })),
  ...ASSIGNMENT_OPERATORS.map((op) => ({
    of: `assign ${op}=`,
    write: ((s, name) => `let ${name} = ${s.number()}; ${name} ${op}= ${s.number()}`) as Write,
  })),
]

/** The same for each built-in. */
export const LISTED_BUILTINS: readonly Production[] = [...BUILTIN_RULES.keys()].map((path) => ({
  of: path,
  write: builtin(path),
}))

/** Built-ins that are not compared with the real engine, and why. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  'Date.now': 'the time differs',
  'Math.random': 'chance differs',
  'performance.now': 'the time differs',
  'function.bind': 'it is refused',
  Function: 'it is refused',
  AbortSignal: 'it is never made with new',
  ...Object.fromEntries(
    [...BUILTIN_RULES.keys()]
      .filter((path) => path.startsWith('console.'))
      .map((path) => [path, 'the console of both engines is one that collects what is printed']),
  ),
}

/** The same for each built-in that gives the same in every engine. */
export const COMPARED_BUILTINS: readonly Production[] = LISTED_BUILTINS.filter(
  ({ of }) => !Object.hasOwn(NOT_COMPARED, of),
)

/** The productions that the program of a seed contains: programs of seeds in a row have all of them in turn. */
export function listedFor(seed: number, count: number, all: readonly Production[]): readonly Production[] {
  return Array.from({ length: count }, (_, at) => all[(seed * count + at) % all.length]!)
}
