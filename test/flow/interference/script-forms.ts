import type { RandomSource } from '../../differential/random-source.ts'

export type Type = 'number' | 'text' | 'flag' | 'list' | 'record'

/** What a form needs of the script that is being written. */
export interface Writing {
  readonly random: RandomSource
  /** Whether what is written can wait. */
  readonly canWait: boolean
  expr(type: Type): string
  key(): string
  keyExpr(): string
  fresh(prefix: string): string
  /** Something that changes what others see, inside a function that cannot wait. */
  act(): string
  /** The same inside one that can. */
  actAndWait(): string
  /** Writes something that may throw: it is caught. */
  caught(work: () => string): string
  /** From now on there is a variable that can be set. */
  add(name: string, type: Type): void
}

type Form = (w: Writing) => string

/** A function that changes something. */
const acting: Form = (w) =>
  w.random.pick([
    () => `(x) => { ${w.act()}; return x }`,
    () => `(x) => { ${w.act()}; return ${w.random.below(3)} }`,
    () => `(x, y) => { ${w.act()}; return ${w.random.below(2)} }`,
    () => `() => { ${w.act()} }`,
  ])()

/** What stands where a function may stand: of one kind or another, as something says. */
const either = (w: Writing, others: readonly string[]): string => {
  const [one, other] = [acting(w), w.random.chance(0.3) ? acting(w) : w.random.pick(others)]
  return w.random.chance(0.5) ? `(${w.expr('flag')} ? ${one} : ${other})` : `(${w.expr('flag')} ? ${other} : ${one})`
}

/** Built-ins that do one thing with a function and another with something else. */
const KINDS: readonly Form[] = [
  (w) => `${w.expr('text')}.replace('p', ${either(w, ["'t'", 'c.s', 'u.s'])})`,
  (w) => `${w.expr('text')}.replaceAll('p', ${either(w, ["'t'", 'String'])})`,
  (w) => `${w.expr('text')}.split(${w.expr('flag')} ? 'p' : undefined)`,
  (w) => `[...${w.expr('list')}].sort(${either(w, ['undefined'])})`,
  (w) => `JSON.stringify(${w.expr('record')}, ${either(w, ['null', "['a']", 'undefined'])})`,
  (w) => `JSON.parse('[1,2]', ${either(w, ['null', "'p'"])})`,
  (w) => `Array.from(${w.expr('list')}, ${either(w, ['undefined', 'String'])})`,
  (w) => `${w.expr('list')}.map(${either(w, ['String', 'Number'])})`,
  (w) => `${w.expr('list')}.flatMap(${either(w, ['String'])})`,
  (w) => `[[1, [2]], ${w.expr('list')}].flat(${w.expr('number')})`,
  (w) => `[...(${w.expr('flag')} ? ${w.expr('text')} : ${w.expr('list')})]`,
  (w) => `[].concat(${w.expr('flag')} ? ${w.expr('list')} : ${w.expr('number')})`,
  (w) => `(${w.expr('flag')} ? Object.assign : Object.keys)(${w.expr('record')}, ${w.expr('record')})`,
  (w) => `(${either(w, ['undefined'])})?.(${w.expr('number')})`,
]

const kind: Form = (w) => {
  const name = w.fresh('k')
  const made = `const ${name} = ${w.random.pick(KINDS)(w)}`
  w.add(name, 'record')
  return made
}

/** Something that is called by the name that another value has. */
const byName: Form = (w) => {
  const name = w.fresh('o')
  const list = w.fresh('l')
  return w.random.pick([
    () => `const ${name} = { a: ${acting(w)}, b: ${acting(w)} }; ${name}[${w.keyExpr()}]?.(${w.expr('record')})`,
    () => `const ${name} = [${acting(w)}, ${acting(w)}]; ${name}[${w.expr('number')} & 1](${w.expr('number')})`,
    () => `${w.expr('list')}[${w.expr('flag')} ? 'map' : 'concat'](${acting(w)})`,
    () => `${w.expr('list')}[${w.expr('flag')} ? 'forEach' : 'some'](${acting(w)})`,
    () => {
      const line = `const ${list} = ${w.expr('list')}; ${list}[${w.expr('flag')} ? 'push' : 'concat'](${w.expr('number')})`
      w.add(list, 'list')
      return line
    },
  ])()
}

/** Functions that change what they are given, and arguments that are spread. */
const given: Form = (w) => {
  const name = w.fresh('g')
  const [one, other] = [w.expr('record'), w.expr('record')]
  const body = w.random.pick([
    `(p, q) => { p.${w.key()} = 7; if (q) q.${w.key()} = 8 }`,
    `(p, ...q) => { for (const x of q) x.${w.key()} = 7 }`,
    `(...p) => { p[0].${w.key()} = p.length }`,
    `({ ...p }, q = p) => { q.${w.key()} = 7 }`,
  ])
  const call = w.random.pick([
    () => `${name}(${one}, ${other})`,
    () => `${name}(...[${one}, ${other}].slice(${w.expr('number')} & 1))`,
    () => `${name}(...(${w.expr('flag')} ? [${one}] : [${other}]), {})`,
    () => `${name}(${w.expr('flag')} ? ${one} : ${other}, {})`,
    () => `[${one}, ${other}].forEach((x) => ${name}(x))`,
    () => `[${one}, ${other}].map(${name})`,
    () => `if (${w.expr('flag')}) ${name}(${one}, ${other})`,
  ])()
  return `const ${name} = ${body}; ${call}`
}

const AFTER: readonly Form[] = [
  (w) => `.then(${acting(w)})`,
  (w) => `.then(${either(w, ['undefined', 'String', '1'])})`,
  (w) => `.then(${acting(w)}, ${acting(w)})`,
  (w) => `.then(() => { if (${w.expr('flag')}) throw 1 })`,
  (w) => `.then(async (x) => { ${w.actAndWait()}; return x })`,
  (w) => `.catch(${acting(w)})`,
  (w) => `.catch(${either(w, ['undefined', '1'])})`,
  (w) => `.finally(${acting(w)})`,
  (w) => `.finally(() => { if (${w.expr('flag')}) throw 2 })`,
]

/** What is done when promises settle, one after the other. */
const chain: Form = (w) => {
  if (!w.canWait) return kind(w)
  const name = w.fresh('v')
  const start = w.random.pick([
    () => `Promise.resolve(${w.expr('number')})`,
    () => `Promise.reject(${w.expr('number')})`,
    () => `Promise.all([${w.expr('number')}, (async () => { if (${w.expr('flag')}) throw 1 })(), ${w.expr('number')}])`,
    () => `Promise.allSettled([${w.expr('number')}, (async () => { if (${w.expr('flag')}) throw 1 })()])`,
    () => `(async () => { ${w.actAndWait()}; if (${w.expr('flag')}) throw ${w.expr('number')} })()`,
    () => `new Promise((x, y) => { (${w.expr('flag')} ? x : y)(${w.expr('number')}); ${w.act()} })`,
  ])()
  const step = (): string => w.caught(() => w.random.pick(AFTER)(w))
  const steps = Array.from({ length: 1 + w.random.below(3) }, step).join('')
  const line = `const ${name} = await ${start}${steps}.catch(() => 0)`
  w.add(name, 'record')
  return line
}

/** Parts that are there or not, where they are shown. */
const absent: Form = (w) => {
  if (!w.canWait) return given(w)
  const name = w.fresh('h')
  const nothing = w.random.pick(['undefined', 'null'])
  const part = (): string => `${w.expr('flag')} ? ${nothing} : ${w.expr('number')}`
  return w.random.pick([
    () => `await tools.sink({ id: '${name}', a: ${part()}, b: [1, ${part()}] })`,
    () =>
      `const ${name} = { a: 1, b: ${w.expr('number')} }; if (${w.expr('flag')}) delete ${name}.a; await tools.sink({ id: 'h', ...${name} })`,
    () =>
      `const ${name} = {}; if (${w.expr('flag')}) ${name}.a = ${w.expr('number')}; await tools.sink({ id: 'h', h: ${name} })`,
    () => `const ${name} = [1]; ${name}[${w.expr('number')} & 3] = 2; await tools.sink({ id: 'h', h: ${name} })`,
    () => `const ${name} = [1, 2]; ${name}.length = ${w.expr('number')} & 3; await tools.sink({ id: 'h', h: ${name} })`,
  ])()
}

/** Things that are taken apart, with what stands in for what is not there. */
const apart: Form = (w) => {
  const [a, b, rest] = [w.fresh('v'), w.fresh('v'), w.fresh('v')]
  const effect = `((() => { ${w.act()}; return 5 })())`
  const line = w.random.pick([
    () =>
      `let { a: { b: ${a} = ${w.expr('number')} } = ${w.expr('record')}, ...${rest} } = { a: ${w.expr('flag')} ? undefined : {}, b: ${w.expr('number')} }; let ${b} = 0`,
    () =>
      `let [${a} = ${effect}, [${b} = ${w.expr('number')}] = [], ...${rest}] = [${w.expr('flag')} ? undefined : 1, ${w.expr('list')}, 2]`,
    () => `let { [${w.keyExpr()}]: ${a} = ${effect}, b: ${b} = 1, ...${rest} } = ${w.expr('record')}`,
    () =>
      `let ${a} = 0, ${b} = 0, ${rest} = {}; [${a}, { a: ${b} = ${effect} }] = [${w.expr('number')}, ${w.expr('record')}]`,
  ])()
  w.add(a, 'number')
  w.add(b, 'number')
  w.add(rest, 'record')
  return line
}

/** A function that waits in loops, and leaves them early. */
const leaving: Form = (w) => {
  if (!w.canWait) return apart(w)
  const [name, label] = [w.fresh('w'), w.fresh('L')]
  const exit = w.random.pick(['break', 'continue', `break ${label}`, `continue ${label}`, 'return 3', 'throw 4'])
  const act = (): string => w.caught(() => w.actAndWait())
  const lines = [act(), `if (${w.expr('flag')}) ${exit}`, 'await tools.clean({})', act()]
  const inner = lines.filter(() => w.random.chance(0.8)).join('; ')
  const second = w.random.pick([`for (const j of ${w.expr('list')})`, 'for (let j = 0; j < 2; j++)', 'do'])
  const end = second === 'do' ? ` while (${w.expr('flag')} && i < 1)` : ''
  return `const ${name} = async () => { ${label}: for (let i = 0; i < 2; i++) { ${second} { ${inner} }${end}; ${act()} } }; await ${name}().catch(() => 0)`
}

/** What labelled data chose may be what the same call is about already, a tool, or something for a method that was chosen as well. */
const twice: Form = (w) => {
  const name = w.fresh('t')
  const other = (): string => w.random.pick([name, '/p/g', '1', '{ d: 1 }', w.expr('record')])
  const pick = (): string =>
    w.random.chance(0.5)
      ? `[${name}, ${other()}][${w.expr('number')} & 1]`
      : `(${w.expr('flag')} ? ${name} : ${other()})`
  const line = w.random.pick([
    () => `const ${name} = ${w.expr('record')}; Object.assign(${name}, ${pick()})`,
    () => `const ${name} = [1]; ${name}.${w.random.pick(['concat', 'includes', 'indexOf', 'fill'])}(${pick()})`,
    () =>
      `const ${name} = /p/g; ${w.expr('text')}.${w.random.pick(['replace', 'concat', 'split', 'startsWith'])}('p', ${pick()})`,
    () => `const ${name} = /p/g; ${w.expr('text')}[${w.expr('flag')} ? 'replace' : 'concat'](${pick()}, 'q')`,
    () => `const ${name} = ${acting(w)}; [1][${w.expr('flag')} ? 'map' : 'concat'](${pick()})`,
    () => `const ${name} = ${acting(w)}; (${w.expr('flag')} ? tools.clean : ${name})(${w.expr('record')})`,
    () => `const ${name} = new Map([['a', 1]]); ${name}.${w.random.pick(['has', 'get'])}(${pick()})`,
  ])()
  return w.canWait ? `${line}; if (c.b) await tools.sink({ id: '${name}' })` : line
}

/** Things in an object that a key chooses, made where there are none, and references that are put into them. */
const keyed: Form = (w) => {
  const name = w.fresh('g')
  const shown = w.fresh('v')
  const start = w.random.pick([
    () => '{}',
    () => `{ a: [], b: ${w.expr('list')} }`,
    () => `{ a: ${w.expr('list')} }`,
    () => `{ a: ${w.expr('flag')} ? ${w.expr('list')} : null }`,
    () => `[${w.expr('list')}, []]`,
  ])()
  const key = (): string => (start.startsWith('[') ? `(${w.expr('number')} & 1)` : w.keyExpr())
  const fresh = (): string =>
    w.random.pick(['[]', '[]', `[${w.expr('number')}]`, `[${w.expr('record')}]`, w.expr('list')])
  const one = (): string =>
    w.random.pick([
      () =>
        `(${name}[${key()}] ${w.random.pick(['??=', '||='])} ${fresh()}).push(${w.expr(w.random.pick(['number', 'record', 'list']))})`,
      () => `${name}[${key()}] ${w.random.pick(['??=', '||=', '&&='])} ${fresh()}`,
      () => {
        const k = w.fresh('k')
        const test = w.random.pick([`!${name}[${k}]`, `!(${k} in ${name})`, `${name}[${k}] === undefined`])
        return `const ${k} = ${key()}; if (${test}) { ${name}[${k}] = ${fresh()} } ${name}[${k}]?.push?.(${w.expr('number')})`
      },
      () => {
        const k = w.fresh('k')
        return `const ${k} = ${key()}; ${name}[${k}] = ${name}[${k}] ${w.random.pick(['??', '||'])} ${fresh()}; ${name}[${k}].push?.(${w.expr('number')})`
      },
      () => `${name}[${key()}]?.push?.(${w.expr('number')})`,
      () => `${name}[${key()}]?.[0]?.push?.(${w.expr('number')})`,
      () => `${name}[${key()}] = ${fresh()}`,
      () => `delete ${name}[${key()}]`,
      () => `if (${w.expr('flag')}) (${name}[${key()}] ??= []).push(${w.expr('number')})`,
      () => `for (const x of ${w.expr('list')}) { (${name}[x] ??= []).push(x) }`,
    ])()
  const lines = Array.from({ length: 2 + w.random.below(3) }, one).join('; ')
  const line = `const ${name} = ${start}; ${lines}; const ${shown} = ${name}.a ?? ${name}[0] ?? []`
  w.add(shown, 'record')
  return line
}

/** What is done later: by a timer, which fires when the script waits for it at its end, or when a promise settles that may stay open. */
const later: Form = (w) => {
  const [name, count] = [w.fresh('t'), w.fresh('n')]
  const ms = 1 + w.random.below(3)
  const wait = w.canWait ? '; await null; await null' : ''
  return w.random.pick([
    () => `setTimeout(${acting(w)}, ${ms}, ${w.expr('number')})`,
    () => `if (${w.expr('flag')}) setTimeout(${acting(w)}, ${ms})`,
    () => `const ${name} = setTimeout(${acting(w)}, ${ms}); if (${w.expr('flag')}) clearTimeout(${name})`,
    () => `setTimeout(async () => { ${w.actAndWait()}; ${w.actAndWait()} }, ${ms})`,
    () =>
      `let ${count} = 0; const ${name} = setInterval(() => { ${w.act()}; if (++${count} > 2 || ${w.expr('flag')}) clearInterval(${name}) }, ${ms})`,
    () => {
      const line = `const ${name} = { a: ${w.expr('number')} }; if (${w.expr('flag')}) setTimeout(() => { ${name}.a = 7 }, ${ms}); ${name}.a = ${w.expr('number')}`
      w.add(name, 'record')
      return line
    },
    () =>
      w.canWait
        ? `let ${name}; new Promise((x) => { ${name} = x }).then(${acting(w)}); if (${w.expr('flag')}) ${name}(${w.expr('number')})${wait}`
        : given(w),
    () =>
      w.canWait
        ? `(async () => { await new Promise((x) => { if (${w.expr('flag')}) x(1) }); ${w.act()} })()${wait}`
        : given(w),
  ])()
}

/** More than one statement each: in every one of them labelled data can decide what is done, called, written or shown. */
export const FORMS: readonly Form[] = [
  kind,
  kind,
  byName,
  given,
  chain,
  chain,
  absent,
  apart,
  leaving,
  twice,
  keyed,
  keyed,
  later,
]

/** Something of a type, if it does not throw because of what is untrusted. */
export const RISKY: Readonly<Record<Type, readonly string[]>> = {
  number: ['u.z.y.x', '{ ...u.o, a: 1 }.d.toFixed()', "'x'.repeat(u.n - 1).length", '[u.z.y].length'],
  text: ["'x'.repeat(u.i - 1)", '`${u.z.y}`', 'typeof [u.z.y.x]'],
  flag: ["('x' in u.z)", '!u.z.y', '((p) => p.y == null)(u.z)'],
  list: ['[...u.z]', '[u.z.y]', '[u.z.y.x, 1]', 'u.l[1].toFixed().split()'],
  record: ['{ a: u.z.y.x, b: 1 }', 'JSON.parse(u.s)', '{ [u.z.y]: 1, b: 2 }', '{ ...u.z.y, a: 1 }'],
}
