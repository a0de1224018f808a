import { RandomSource } from '../../differential/random-source.ts'
import { LISTED, LISTED_BUILTINS, listedFor } from '../../language/productions.ts'
import type { Production } from '../../language/productions.ts'
import { FORMS, RISKY } from './script-forms.ts'
import type { Type, Writing } from './script-forms.ts'

interface Variable {
  readonly name: string
  readonly type: Type
  readonly canSet: boolean
}

interface Callable {
  readonly name: string
  readonly isAsync: boolean
}

const TYPES: readonly Type[] = ['number', 'text', 'flag', 'list', 'record']

/**
 * Scripts that mix what `tools.web` gives, which is untrusted, with what is clean, in every way in which one value can
 * decide another, and show values to `tools.sink` here and there.
 */
class ScriptGenerator {
  readonly #random: RandomSource
  #variables: Variable[] = []
  #functions: Callable[] = []
  #names = 0
  #sinks = 0
  #depth = 0
  #loops = 0
  #labels: string[] = []
  /** How many places around would catch what is thrown here. */
  #catches = 0
  #isAsync = true
  #inFunction = false
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
    this.#random = new RandomSource(seed)
  }

  script(): string {
    const lines = ['const u = await tools.web({})', 'const c = await tools.clean({})']
    const count = 3 + this.#random.below(7)
    for (let i = 0; i < count; i++) lines.push(this.#statement())
    const listed = [...listedFor(this.#seed, 2, LISTED), ...listedFor(this.#seed, 2, LISTED_BUILTINS)]
    // Anywhere among the others, but behind what everything is made from.
    for (const production of listed) lines.splice(2 + this.#random.below(lines.length - 1), 0, this.#listed(production))
    const shown = this.#variables.map(({ name }) => name)
    if (/set(?:Timeout|Interval|Immediate)/.test(lines.join())) lines.push('await new Promise((r) => setTimeout(r, 9))')
    lines.push(`await tools.sink({ id: 'end', ${shown.join(', ')} })`, `return { ${shown.join(', ')} }`)
    return lines.join('\n')
  }

  /** A statement about one thing of the language; it may stand before all variables, so it uses none of them. */
  #listed({ write }: Production): string {
    const [variables, functions] = [this.#variables, this.#functions]
    this.#variables = []
    this.#functions = []
    const name = this.#fresh('q')
    const of = (type: Type) => (): string => this.#expr(type)
    const slots = { number: of('number'), text: of('text'), flag: of('flag'), list: of('list'), record: of('record') }
    const any = (): string => this.#expr(this.#random.pick(TYPES))
    const kept = (made: string): string => `JSON.stringify(${made}) ?? 0`
    const line = this.#sync(() => write({ ...slots, any, kept, fresh: () => this.#fresh('q') }, name))
    this.#variables = [...variables, { name, type: 'record', canSet: false }]
    this.#functions = functions
    return line
  }

  #fresh(prefix: string): string {
    return `${prefix}${this.#names++}`
  }

  #pick(...choices: (() => string)[]): string {
    return this.#random.pick(choices)()
  }

  #scoped<T>(work: () => T): T {
    const [variables, functions] = [this.#variables, this.#functions]
    this.#variables = [...variables]
    this.#functions = [...functions]
    this.#depth += 1
    const made = work()
    this.#depth -= 1
    this.#variables = variables
    this.#functions = functions
    return made
  }

  #block(): string {
    return this.#scoped(() => {
      const count = 1 + this.#random.below(2)
      return `{ ${Array.from({ length: count }, () => this.#statement()).join('; ')} }`
    })
  }

  #statement(): string {
    if (this.#depth > 2) return this.#simple()
    return this.#pick(
      () => this.#simple(),
      () => this.#simple(),
      () => this.#simple(),
      () => this.#declaration(),
      () => this.#declaration(),
      () => this.#branch(),
      () => this.#branch(),
      () => this.#loop(),
      () => this.#loop(),
      () => this.#try(),
      () => this.#switch(),
      () => this.#function(),
      () => this.#sink(),
      () => this.#more(),
      () => this.#form(),
      () => this.#form(),
    )
  }

  #more(): string {
    return this.#pick(
      () => this.#labeled(),
      () => this.#promises(),
      () => this.#destructuring(),
      () => this.#collections(),
      () => this.#exit(),
    )
  }

  #form(): string {
    const canWait = this.#isAsync
    const act = (isAsync: boolean): string => this.#within(isAsync, () => this.#scoped(() => this.#simple()))
    const writing: Writing = {
      random: this.#random,
      canWait,
      expr: (type) => this.#sync(() => this.#expr(type)),
      key: () => this.#key(),
      keyExpr: () => this.#sync(() => this.#keyExpr()),
      fresh: (prefix) => this.#fresh(prefix),
      act: () => act(false),
      actAndWait: () => act(true),
      caught: (work) => this.#caught(work),
      add: (name, type) => void this.#variables.push({ name, type, canSet: false }),
    }
    return this.#random.pick(FORMS)(writing)
  }

  /** Inside a function of its own: what is around it cannot be left from there. */
  #within<T>(isAsync: boolean, work: () => T): T {
    const before = [this.#isAsync, this.#inFunction, this.#loops, this.#labels] as const
    ;[this.#isAsync, this.#inFunction, this.#loops, this.#labels] = [isAsync, false, 0, []]
    const made = work()
    ;[this.#isAsync, this.#inFunction, this.#loops, this.#labels] = before as [boolean, boolean, number, string[]]
    return made
  }

  #caught(work: () => string): string {
    this.#catches += 1
    const made = work()
    this.#catches -= 1
    return made
  }

  #declare(type: Type, value: string): string {
    const name = this.#fresh('v')
    const canSet = this.#random.chance(0.8)
    const line = `${canSet ? 'let' : 'const'} ${name} = ${value}`
    this.#variables.push({ name, type, canSet })
    return line
  }

  #declaration(): string {
    const type = this.#random.pick(TYPES)
    return this.#declare(type, this.#expr(type))
  }

  #of(type: Type, mustSet = false): string | undefined {
    const found = this.#variables.filter((one) => one.type === type && (one.canSet || !mustSet))
    return found.length === 0 ? undefined : this.#random.pick(found).name
  }

  #simple(): string {
    return this.#pick(
      () => this.#assignment(),
      () => this.#assignment(),
      () => this.#mutation(),
      () => this.#mutation(),
      () => this.#call(),
      () => this.#exit(),
      () => this.#sink(),
    )
  }

  #assignment(): string {
    const type = this.#random.pick(TYPES)
    const name = this.#of(type, true)
    if (name === undefined) return this.#declaration()
    if (type === 'number')
      return this.#pick(
        () => `${name} = ${this.#expr(type)}`,
        () => `${name} ${this.#random.pick(['+=', '-=', '*='])} ${this.#expr(type)}`,
        () => `${name}++`,
        () => `${name} ${this.#random.pick(['||=', '&&=', '??='])} ${this.#expr(type)}`,
      )
    if (type === 'text') return `${name} ${this.#random.pick(['=', '+='])} ${this.#expr(type)}`
    return `${name} = ${this.#expr(type)}`
  }

  #mutation(): string {
    const list = this.#of('list')
    const record = this.#of('record')
    if (list === undefined && record === undefined) return this.#declaration()
    if (list !== undefined && (record === undefined || this.#random.chance(0.5)))
      return this.#pick(
        () => `${list}.push(${this.#expr('number')})`,
        () => `${list}[${this.#index()}] = ${this.#expr('number')}`,
        () => `${list}.${this.#random.pick(['pop', 'shift', 'reverse', 'sort'])}()`,
        () => `${list}.unshift(${this.#expr('number')})`,
        () => `${list}.splice(${this.#index()}, 1)`,
        () => `${list}.length = ${this.#random.below(3)}`,
        () => `delete ${list}[${this.#index()}]`,
        () => `${list}[${list}.length + (${this.#index()} & 1)] = ${this.#expr('number')}`,
      )
    return this.#pick(
      () => `(${this.#expr('flag')} ? ${record} : ${this.#of('record')}).${this.#key()} = ${this.#expr('number')}`,
      () => `${record}.${this.#key()} = ${this.#expr('number')}`,
      () => `${record}[${this.#keyExpr()}] = ${this.#expr('number')}`,
      () => `${record}.${this.#key()} += ${this.#expr('number')}`,
      () => `delete ${record}.${this.#key()}`,
      () => `delete ${record}[${this.#keyExpr()}]`,
      () => `${record}.${this.#key()}++`,
      () => `${record}.${this.#key()} ??= ${this.#expr('number')}`,
      () => `Object.assign(${record}, ${this.#expr('record')})`,
      () => `(${this.#expr('record')}).${this.#key()} = ${this.#expr('number')}`,
    )
  }

  #key(): string {
    return this.#random.pick(['a', 'b', 'd'])
  }

  #keyExpr(): string {
    return this.#pick(
      () => `'${this.#key()}'`,
      () => `(${this.#expr('flag')} ? 'a' : 'b')`,
      () => 'u.k',
      () => `String(${this.#expr('number')} & 1)`,
    )
  }

  #index(): string {
    return this.#pick(
      () => String(this.#random.below(3)),
      () => `((${this.#expr('number')}) & 1)`,
      () => 'u.i',
    )
  }

  #call(): string {
    const callable = this.#functions.filter(({ isAsync }) => !isAsync || this.#isAsync)
    if (callable.length === 0) return this.#assignment()
    const { name, isAsync } = this.#random.pick(callable)
    return `${isAsync ? 'await ' : ''}${name}(${this.#expr('number')}, ${this.#expr('list')})`
  }

  #sink(): string {
    if (!this.#isAsync && this.#random.chance(0.6)) return this.#assignment()
    const id = `s${this.#sinks++}`
    const parts = ['a', 'b'].map((part) => `${part}: ${this.#expr(this.#random.pick(TYPES))}`)
    return `${this.#isAsync ? 'await ' : ''}tools.sink({ id: '${id}', ${parts.join(', ')} })`
  }

  #branch(): string {
    const test = this.#expr('flag')
    return `if (${test}) ${this.#block()}${this.#random.chance(0.5) ? ` else ${this.#block()}` : ''}`
  }

  #inLoop(work: () => string): string {
    this.#loops += 1
    const made = work()
    this.#loops -= 1
    return made
  }

  #loop(): string {
    const i = this.#fresh('i')
    const body = (): string => this.#inLoop(() => this.#block())
    const counted = (head: string): string =>
      this.#scoped(() => {
        this.#variables.push({ name: i, type: 'number', canSet: false })
        return `${head} ${body()}`
      })
    return this.#pick(
      () => counted(`for (let ${i} = 0; ${i} < ${this.#random.below(4)}; ${i}++)`),
      () => counted(`for (let ${i} = 0; ${i} < (${this.#expr('number')} & 3); ${i}++)`),
      () => counted(`for (const ${i} of ${this.#expr('list')}.slice(0, 4))`),
      () => `for (const ${i} in ${this.#expr('record')}) ${body()}`,
      () => `for (const ${i} in ${this.#expr('list')}.slice(0, 4)) ${body()}`,
      () => counted(`for (const [${i}] of ${this.#expr('list')}.slice(0, 4).entries())`),
      () => `let ${i} = 0\nwhile (${this.#expr('flag')} && ${i}++ < 3) ${body()}`,
      () => `let ${i} = 0\ndo ${body()} while (${i}++ < 2 && ${this.#expr('flag')})`,
    )
  }

  #try(): string {
    const name = this.#fresh('e')
    const body = this.#caught(() => {
      const risky = this.#random.chance(0.4) ? `${this.#risk()}; ` : ''
      return `{ ${risky}${this.#block()} ${this.#random.chance(0.4) ? this.#risk() : ''} }`
    })
    const caught = ` catch (${name}) ${this.#block()}`
    const final = this.#random.chance(0.3) ? ` finally ${this.#block()}` : ''
    return `try ${body}${caught}${final}`
  }

  #risk(): string {
    return this.#pick(
      () => `if (${this.#expr('flag')}) throw ${this.#expr('number')}`,
      () => 'u.z.y',
      () => `u.z.y.x`,
      () => `(${this.#expr('flag')} ? null : c).a`,
      () => `JSON.parse(${this.#expr('text')})`,
      () => `'x'.repeat(${this.#expr('number')} - 3)`,
      () => `u.f()`,
    )
  }

  #switch(): string {
    const cases = Array.from({ length: 1 + this.#random.below(2) }, (_, at) => {
      const test = this.#random.chance(0.8) ? String(at) : this.#expr('number')
      return `case ${test}: ${this.#block()} ${this.#random.chance(0.6) ? 'break' : ''}`
    })
    const rest = this.#random.chance(0.5) ? `\ndefault: ${this.#block()}` : ''
    return `switch (${this.#expr('number')}) { ${cases.join('\n')}${rest} }`
  }

  #labeled(): string {
    const label = this.#fresh('L')
    this.#labels.push(label)
    const made = `${label}: ${this.#loopOnly()}`
    this.#labels.pop()
    return made
  }

  #loopOnly(): string {
    const i = this.#fresh('i')
    return `for (let ${i} = 0; ${i} < 3; ${i}++) ${this.#inLoop(() => this.#block())}`
  }

  #exit(): string {
    const choices: (() => string)[] = []
    if (this.#loops > 0) choices.push(() => `if (${this.#expr('flag')}) ${this.#random.pick(['break', 'continue'])}`)
    if (this.#loops > 0 && this.#labels.length > 0)
      choices.push(
        () =>
          `if (${this.#expr('flag')}) ${this.#random.pick(['break', 'continue'])} ${this.#random.pick(this.#labels)}`,
      )
    if (this.#inFunction) choices.push(() => `if (${this.#expr('flag')}) return ${this.#expr('number')}`)
    return choices.length === 0 ? this.#assignment() : this.#random.pick(choices)()
  }

  #function(): string {
    const name = this.#fresh('f')
    const isAsync = this.#random.chance(0.3)
    const body = this.#scoped(() => {
      const [n, l] = [this.#fresh('p'), this.#fresh('p')]
      const initial = this.#sync(() => this.#expr('number'))
      this.#variables.push({ name: n, type: 'number', canSet: true }, { name: l, type: 'list', canSet: false })
      return this.#within(isAsync, () => {
        this.#inFunction = true
        const lines = Array.from({ length: 1 + this.#random.below(3) }, () => this.#statement())
        return `(${n} = ${initial}, ${l} = []) `.concat(`=> { ${lines.join('; ')}; return ${this.#expr('number')} }`)
      })
    })
    this.#functions.push({ name, isAsync })
    return `const ${name} = ${isAsync ? 'async ' : ''}${body}`
  }

  #promises(): string {
    if (!this.#isAsync) return this.#assignment()
    const name = this.#fresh('v')
    const one = (): string =>
      this.#pick(
        () => 'tools.web({})',
        () => 'tools.clean({})',
        () => `Promise.resolve(${this.#expr('record')})`,
        () => `(async () => { if (${this.#expr('flag')}) throw new Error('x'); return ${this.#expr('record')} })()`,
        () =>
          `Promise.resolve(${this.#expr('number')}).then((x) => { ${this.#sync(() => this.#risk())}; return { a: x } }).catch(() => ({ a: 9 }))`,
        () =>
          `Promise.resolve(${this.#expr('number')}).then((x) => ({ a: x, b: ${this.#sync(() => this.#expr('number'))} }))`,
      )
    const made = this.#pick(
      () => `await ${one()}`,
      () => `(await Promise.all([${one()}, ${one()}]))[${this.#random.below(2)}]`,
      () => `(await Promise.allSettled([${one()}, ${one()}]))[${this.#random.below(2)}].value`,
    )
    this.#variables.push({ name, type: 'record', canSet: false })
    return `const ${name} = ${made} ?? {}`
  }

  #destructuring(): string {
    const [a, b] = [this.#fresh('v'), this.#fresh('v')]
    const line = this.#pick(
      () => `let { a: ${a} = ${this.#expr('number')}, b: ${b} } = ${this.#expr('record')}`,
      () => `let [${a}, ${b} = ${this.#expr('number')}] = ${this.#expr('list')}`,
    )
    this.#variables.push({ name: a, type: 'number', canSet: true }, { name: b, type: 'number', canSet: true })
    return line
  }

  #collections(): string {
    const name = this.#fresh('m')
    const out = this.#fresh('v')
    const made = this.#pick(
      () =>
        `const ${name} = new Map([['a', ${this.#expr('number')}]]); ${this.#maybe(`${name}.set(${this.#keyExpr()}, ${this.#expr('number')})`)}; const ${out} = [...${name}.values()]`,
      () =>
        `const ${name} = new Set(${this.#expr('list')}); ${this.#maybe(`${name}.add(${this.#expr('number')})`)}; const ${out} = [...${name}, ${name}.size]`,
    )
    this.#variables.push({ name: out, type: 'list', canSet: false })
    return made
  }

  #maybe(line: string): string {
    return this.#random.chance(0.5) ? line : `if (${this.#expr('flag')}) { ${line} }`
  }

  #nested = 0
  #expr(type: Type): string {
    this.#nested += 1
    const made = this.#nested > 2 ? this.#leaf(type) : this.#compound(type)
    this.#nested -= 1
    return made
  }

  #leaf(type: Type): string {
    if (this.#catches > 0 && this.#random.chance(0.12)) return this.#random.pick(RISKY[type])
    const name = this.#of(type)
    if (name !== undefined && this.#random.chance(0.6)) return name
    switch (type) {
      case 'number':
        return this.#random.pick(['0', '1', '2', '3', 'u.n', 'c.n', 'u.l.length'])
      case 'text':
        return this.#random.pick(["'p'", "'q'", 'u.s', 'c.s'])
      case 'flag':
        return this.#random.pick(['true', 'false', 'u.b', 'c.b', 'u.n === 1', 'u.z == null'])
      case 'list':
        return this.#random.pick(['[1, 2]', '[]', 'u.l', 'c.l', '[u.n, 1]', '[...c.l]'])
      default:
        return this.#random.pick([
          '{ a: 1, b: 2 }',
          'u.o',
          'c.o',
          '{ a: u.n, b: 1 }',
          '{ ...c.o, d: u.n }',
          '{ ...u.o, a: 1 }',
        ])
    }
  }

  #compound(type: Type): string {
    if (this.#random.chance(0.5)) return this.#leaf(type)
    if (this.#random.chance(0.15)) return `(${this.#expr('flag')} ? ${this.#expr(type)} : ${this.#expr(type)})`
    switch (type) {
      case 'number':
        return this.#number()
      case 'text':
        return this.#text()
      case 'flag':
        return this.#flag()
      case 'list':
        return this.#list()
      default:
        return this.#record()
    }
  }

  #number(): string {
    const callable = this.#functions.filter(({ isAsync }) => !isAsync || this.#isAsync)
    const more: (() => string)[] =
      callable.length === 0
        ? []
        : [
            () => {
              const { name, isAsync } = this.#random.pick(callable)
              const call = `${name}(${this.#expr('number')}, ${this.#expr('list')})`
              return isAsync ? `(await ${call})` : call
            },
          ]
    return this.#pick(
      () => `(${this.#expr('number')} ${this.#random.pick(['+', '-', '*', '%', '&', '|'])} ${this.#expr('number')})`,
      () => `${this.#expr('list')}[${this.#index()}]`,
      () => `${this.#expr('record')}.${this.#key()}`,
      () => `${this.#expr('record')}[${this.#keyExpr()}]`,
      () => `${this.#expr('list')}.length`,
      () => `${this.#expr('text')}.length`,
      () => `(${this.#expr('number')} || ${this.#expr('number')})`,
      () => `(${this.#expr('record')}?.${this.#key()} ?? ${this.#expr('number')})`,
      () => `Math.max(${this.#expr('number')}, ${this.#expr('number')})`,
      () => `${this.#expr('list')}.reduce((x, y) => x + y, ${this.#expr('number')})`,
      () => `${this.#expr('list')}.indexOf(${this.#expr('number')})`,
      () => `(${this.#expr('list')}.find((x) => ${this.#callback()}) ?? 0)`,
      () => `+${this.#expr('text')}`,
      () => `((x) => x + ${this.#sync(() => this.#expr('number'))})(${this.#expr('number')})`,
      () => `((...r) => r[${this.#sync(() => this.#index())}])(${this.#expr('number')}, ${this.#expr('number')})`,
      ...more,
      ...more,
    )
  }

  /** Inside a function that cannot wait. */
  #sync(work: () => string): string {
    const before = this.#isAsync
    this.#isAsync = false
    const made = work()
    this.#isAsync = before
    return made
  }

  #callback(): string {
    return this.#sync(() => this.#test())
  }

  #test(): string {
    return this.#pick(
      () => `x > ${this.#expr('number')}`,
      () => this.#expr('flag'),
      () => `x === ${this.#expr('number')}`,
    )
  }

  #text(): string {
    return this.#pick(
      () => `(${this.#expr('text')} + ${this.#expr('number')})`,
      () => `\`\${${this.#expr('number')}}-\${${this.#expr('text')}}\``,
      () => `${this.#expr('list')}.join('-')`,
      () => `JSON.stringify(${this.#expr('record')})`,
      () => `String(${this.#expr('list')})`,
      () => `Object.keys(${this.#expr('record')}).join()`,
      () => `Object.keys(${this.#expr('list')}).join()`,
      () => `${this.#expr('text')}.slice(${this.#index()})`,
      () => `${this.#expr('text')}.replace('p', ${this.#expr('text')})`,
      () => `typeof ${this.#expr('record')}.${this.#key()}`,
      () => `${this.#expr('text')}.split('').reverse().join('')`,
    )
  }

  #flag(): string {
    return this.#pick(
      () => `(${this.#expr('number')} ${this.#random.pick(['<', '>', '===', '!==', '<='])} ${this.#expr('number')})`,
      () => `!${this.#expr('flag')}`,
      () => `(${this.#expr('flag')} ${this.#random.pick(['&&', '||'])} ${this.#expr('flag')})`,
      () => `(${this.#keyExpr()} in ${this.#expr('record')})`,
      () => `(${this.#index()} in ${this.#expr('list')})`,
      () => `${this.#expr('list')}.includes(${this.#expr('number')})`,
      () => `${this.#expr('list')}.some((x) => ${this.#callback()})`,
      () => `${this.#expr('text')}.includes('p')`,
      () => `(${this.#expr('text')} < ${this.#expr('text')})`,
    )
  }

  #list(): string {
    return this.#pick(
      () => `[${this.#expr('number')}, ${this.#expr('number')}]`,
      () => `[${this.#expr('number')}, , ${this.#expr('number')}]`,
      () => `Array(${this.#expr('number')} & 3)`,
      () => `[...${this.#expr('list')}, ${this.#expr('number')}]`,
      () => `${this.#expr('list')}.map((x) => x + ${this.#sync(() => this.#expr('number'))})`,
      () => `${this.#expr('list')}.filter((x) => ${this.#callback()})`,
      () => `${this.#expr('list')}.concat(${this.#expr('list')})`,
      () => `${this.#expr('list')}.slice(${this.#index()})`,
      () => `Object.values(${this.#expr('record')})`,
      () =>
        `[...${this.#expr('list')}].sort((x, y) => ${this.#random.chance(0.5) ? 'x - y' : this.#sync(() => this.#expr('number'))})`,
      () => `[${this.#expr('number')}].fill(${this.#expr('number')})`,
      () => `Array.from(${this.#expr('list')})`,
    )
  }

  #record(): string {
    return this.#pick(
      () => `{ a: ${this.#expr('number')}, b: ${this.#expr('number')} }`,
      () => `{ ...${this.#expr('record')}, ${this.#key()}: ${this.#expr('number')} }`,
      () => `{ [${this.#keyExpr()}]: ${this.#expr('number')}, b: 2 }`,
      () => `JSON.parse(JSON.stringify(${this.#expr('record')}))`,
      () => `Object.fromEntries(Object.entries(${this.#expr('record')}))`,
      () => `[${this.#expr('record')}, ${this.#expr('record')}][${this.#index()} & 1]`,
      () => `Object.assign({}, ${this.#expr('record')}, ${this.#expr('record')})`,
      () => `(({ a, ...rest }) => rest)(${this.#expr('record')})`,
    )
  }
}

/** The script of a seed. */
export function generateScript(seed: number): string {
  return new ScriptGenerator(seed).script()
}
