import type { Json } from '../../../src/core/index.ts'
import type { Ex } from '../../../src/vm/compile/ir.ts'
import type { St } from '../../../src/vm/compile/ir-statements.ts'

type Step = Readonly<Record<string, Json>>

const lit = (value: Json): Json => ({ $expr: 'literal', value })
const id = (name: string): Json => ({ $expr: 'ident', name })
const member = (object: Json, property: string): Json => ({ $expr: 'member', object, property })
const binary = (op: string, left: Json, right: Json): Json => ({ $expr: 'binary', op, left, right })
const call = (callee: Json, ...args: Json[]): Json => ({ $expr: 'call', callee, arguments: args })
const u = (name: string): Json => member(id('u'), name)
const set = (key: string, value: Json): Step => ({ op: 'varSet', key, value })
const sink = (value: Json = id('x')): Step => ({ op: 'sink', x: value })
const web: Step = { op: 'web', result: 'u' }
/** Shows a value that is computed from what `web` gave. */
const shown = (value: Json): readonly Step[] => [web, sink(value)]
const decided = (...steps: readonly Step[]): readonly Step[] => [web, set('x', lit(0)), ...steps, sink()]

/** Helpers that the steps may call: one that waits and gives what it was given. */
export const HELPERS: Json = {
  give: { params: ['p'], steps: [{ op: 'clean' }, { op: 'return', value: id('p') }] },
}

/** For every kind of expression that JSON programs have, steps that show untrusted data as clean where its label rule is missing. */
export const PROGRAM_EXPRESSIONS: Readonly<Partial<Record<Ex['k'], readonly Step[]>>> = {
  arg: [{ op: 'sink', x: { $kind: 'arg', path: 'n' } }],
  input: [web, { op: 'len', list: u('l'), result: 'x' }, sink()],
  var: [web, set('x', u('n')), sink()],
  member: [web, set('o', { $expr: 'object', properties: [{ key: 'a', value: u('n') }] }), sink(member(id('o'), 'a'))],
  index: [
    web,
    set('l', { $expr: 'array', elements: [u('n'), lit(1)] }),
    sink({ $expr: 'member', object: id('l'), property: lit(0), computed: true }),
  ],
  binary: shown(binary('+', u('n'), lit(1))),
  unary: shown({ $expr: 'unary', op: '-', argument: u('n') }),
  logical: shown({ $expr: 'logical', op: '&&', left: u('b'), right: lit(1) }),
  conditional: shown({ $expr: 'conditional', test: u('b'), consequent: lit(1), alternate: lit(2) }),
  list: [
    web,
    set('l', { $expr: 'array', elements: [u('n')] }),
    sink({ $expr: 'member', object: id('l'), property: lit(0), computed: true }),
  ],
  object: [web, set('o', { $expr: 'object', properties: [{ key: 'a', value: u('n') }] }), sink(member(id('o'), 'a'))],
  template: shown({ $expr: 'template', parts: ['', ''], values: [u('n')] }),
  call: shown(call(id('String'), u('n'))),
  method: shown(call(member(u('l'), 'join'))),
  assign: [web, set('x', lit(0)), set('x', u('n')), sink()],
  temp: [web, { op: 'callLocal', name: 'give', args: [u('n')], result: 'x' }, sink()],
}

/** The same for every kind of statement. */
export const PROGRAM_STATEMENTS: Readonly<Partial<Record<St['k'], readonly Step[]>>> = {
  request: [{ op: 'part', of: 'n', result: 'x' }, sink()],
  append: [
    web,
    { op: 'map', items: [1, 2], as: 'i', result: 'x', steps: [set('result', u('n'))] },
    sink({ $expr: 'member', object: id('x'), property: lit(0), computed: true }),
  ],
  constset: [web, { op: 'constSet', key: 'x', value: u('n') }, sink()],
  if: decided({ op: 'if', condition: u('b'), then: [set('x', lit(1))] }),
  loop: decided({
    op: 'while',
    condition: binary('<', id('x'), u('n')),
    body: [set('x', binary('+', id('x'), lit(1)))],
  }),
  forof: decided({ op: 'map', items: u('l'), as: 'i', steps: [set('x', id('i')), set('result', lit(1))] }),
  callto: [web, { op: 'callLocal', name: 'give', args: [u('n')], result: 'x' }, sink()],
  try: decided({ op: 'try', try: [{ op: 'join', list: u('m'), sep: '-' }, set('x', lit(1))] }),
}

/** Kinds whose rule is not missed in JSON programs, and why. */
export const PROGRAM_KINDS_WITHOUT: Readonly<Partial<Record<Ex['k'] | St['k'], string>>> = {
  lit: 'nothing of it comes from elsewhere',
  data: 'nothing of it comes from elsewhere',
  block: 'it only runs what is in it',
  exit: 'the region that it leaves notes it',
  return: 'it only clears the register, without which more is labelled',
  expr: 'a member of nothing is nothing, and whatever else can throw in a step notes it itself',
  let: 'scripts alone have it',
  settemp: 'scripts alone have it',
  throw: 'it only clears the register, without which more is labelled',
}

/** The same for every atom that computes inside the machine. */
export const ATOM_TRAPS: Readonly<Record<string, readonly Step[]>> = {
  push: [web, set('x', lit([1])), { op: 'push', list: id('x'), item: u('n') }, sink()],
  len: [web, { op: 'len', list: u('l'), result: 'x' }, sink()],
  split: [web, { op: 'split', str: u('s'), sep: 'a', result: 'x' }, sink()],
  join: [web, { op: 'join', list: u('l'), sep: '-', result: 'x' }, sink()],
  template: [web, { op: 'template', tmpl: '{{s}}', vars: id('u'), result: 'x' }, sink()],
  pick: [web, { op: 'pick', obj: u('o'), keys: lit(['b']), result: 'x' }, sink()],
  omit: [web, { op: 'omit', obj: u('o'), keys: lit(['a']), result: 'x' }, sink()],
  merge: [web, { op: 'merge', a: u('o'), b: u('o'), result: 'x' }, sink()],
  keys: [web, { op: 'keys', obj: u('o'), result: 'x' }, sink()],
  jsonParse: [web, { op: 'jsonParse', str: u('j'), result: 'x' }, sink()],
  jsonStringify: [web, { op: 'jsonStringify', value: u('n'), result: 'x' }, sink()],
  hash: [web, { op: 'hash', value: u('n'), result: 'x' }, sink()],
  regexMatch: [web, { op: 'regexMatch', pattern: 'a', value: u('s'), result: 'x' }, sink()],
  random: [web, { op: 'random', min: u('n'), max: u('n'), result: 'x' }, sink()],
}

/** Atoms whose rule is not missed, and why. */
export const ATOMS_WITHOUT: Readonly<Record<string, string>> = {
  uuid: 'it looks at nothing; draws under labels have streams of their own',
  consoleLog: 'it gives nothing, and what is printed is not held against rules',
  consoleWarn: 'it gives nothing, and what is printed is not held against rules',
  consoleError: 'it gives nothing: it fails, whatever it is given',
}
