import type { RandomSource } from './random-source.ts'

export type Type = 'number' | 'string' | 'boolean' | 'list' | 'object' | 'any'

interface Variable {
  readonly name: string
  readonly type: Type
  readonly isConstant: boolean
}

const keys = ['a', 'b', 'c', 'x', 'length2', 'name', 'k1', '_z']
const numbers = [
  '0',
  '1',
  '2',
  '3',
  '-1',
  '7',
  '10',
  '0.5',
  '-0',
  '1e3',
  'NaN',
  '255',
  '0x1f',
  '1_000',
  '2 ** 31',
  'Infinity',
  '-3.7',
]
const strings = [
  "''",
  "'a'",
  "'abc'",
  "'Hello World'",
  "'10'",
  "'a,b,c'",
  "'  pad '",
  "'ABC'",
  "'ünïcødé'",
  "'😀x'",
  '`t`',
  "'1e3'",
  "'x1y22z'",
]
const regexes = [
  '/a/',
  '/[a-z]+/g',
  '/(\\w)(\\w)/',
  '/\\d+/g',
  '/,/',
  '/\\s+/g',
  // Named groups are in the other generator: what holds them has no prototype there, and cannot be made a text.
  '/([a-z])/i',
  '/^./',
  '/o|l/g',
  '/[^a]/gu',
  '/b?/g',
  '/(a)|(b)/',
]

/** Random expressions of a wanted type over the variables in scope. */
export class ExpressionGenerator {
  protected readonly random: RandomSource
  protected canAwait: boolean
  private scopes: Variable[][] = [[]]
  private count = 0

  constructor(random: RandomSource, canAwait: boolean) {
    this.random = random
    this.canAwait = canAwait
  }

  protected fresh(): string {
    this.count += 1
    return `v${this.count}`
  }

  protected introduce(type: Type, kind: string): string {
    const name = this.fresh()
    this.know(name, type, kind)
    return name
  }

  protected know(name: string, type: Type, kind: string): void {
    this.scopes.at(-1)?.push({ name, type, isConstant: kind === 'const' })
  }

  protected inScope<T>(make: () => T): T {
    this.scopes = [...this.scopes, []]
    const made = make()
    this.scopes = this.scopes.slice(0, -1)
    return made
  }

  protected names(): string[] {
    return this.scopes.flat().map(({ name }) => name)
  }

  protected variable(type: Type, isChanging: boolean): Variable | undefined {
    const fitting = this.scopes
      .flat()
      .filter((one) => (type === 'any' || one.type === type) && !(isChanging && one.isConstant))
    return fitting.length === 0 ? undefined : this.random.pick(fitting)
  }

  protected key(): string {
    return this.random.pick(keys)
  }

  protected expression(type: Type, depth: number): string {
    const { random } = this
    if (random.chance(depth > 0 ? 0.25 : 0.6)) {
      const variable = this.variable(type, false)
      if (variable !== undefined) return variable.name
    }
    if (depth <= 0) return this.leaf(type)
    if (random.chance(0.06))
      return `(${this.expression('boolean', depth - 1)} ? ${this.expression(type, depth - 1)} : ${this.expression(type, depth - 1)})`
    switch (type) {
      case 'number':
        return this.number(depth - 1)
      case 'string':
        return this.string(depth - 1)
      case 'boolean':
        return this.boolean(depth - 1)
      case 'list':
        return this.list(depth - 1)
      case 'object':
        return this.object(depth - 1)
      case 'any':
        return this.any(depth - 1)
    }
  }

  private leaf(type: Type): string {
    const { random } = this
    switch (type) {
      case 'number':
        return `(${random.pick(numbers)})`
      case 'string':
        return random.pick(strings)
      case 'boolean':
        return random.pick(['true', 'false'])
      case 'list':
        return random.pick([
          '[]',
          '[1, 2, 3]',
          "['b', 'a', 'c']",
          '[3, 1, 10, 2]',
          '[null, undefined, 0]',
          '[[1, 2], [3, [4]]]',
          '[{ a: 1 }, { a: 2 }]',
          '[, 1, , 2]',
          'Array(3)',
          '[1, , undefined, ,]',
        ])
      case 'object':
        return random.pick([
          '({})',
          '({ a: 1 })',
          "({ b: 2, a: 1, 1: 'one', 0: 'zero' })",
          "({ x: [1, 2], name: 'n' })",
          '({ c: null, k1: undefined })',
        ])
      case 'any':
        return random.pick(['null', 'undefined', '(1)', "'s'", 'true', '[1]', '({ a: 1 })', '(-0)', '(NaN)'])
    }
  }

  private number(depth: number): string {
    const { random } = this
    const n = (): string => this.expression('number', depth)
    const s = (): string => this.expression('string', depth)
    const l = (): string => this.expression('list', depth)
    return random.pick([
      () => `(${n()} ${random.pick(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>'])} ${n()})`,
      () => `(${n()} ${random.pick(['+', '-', '*'])} ${n()})`,
      () => `((${n()}) ** ${random.below(4)})`,
      () => `(${random.pick(['-', '+', '~'])}(${this.expression(random.pick(['number', 'string', 'any']), depth)}))`,
      () =>
        `Math.${random.pick(['floor', 'round', 'abs', 'ceil', 'trunc', 'sign', 'sqrt', 'cbrt', 'fround', 'clz32', 'log2'])}(${n()})`,
      () => `Math.${random.pick(['max', 'min', 'hypot'])}(${n()}, ${n()})`,
      () => `${s()}.length`,
      () => `${l()}.length`,
      () => `${s()}.indexOf(${s()})`,
      () => `${s()}.${random.pick(['charCodeAt', 'codePointAt', 'search'])}(${random.below(3)})`,
      () => `${random.pick(['parseInt', 'parseFloat', 'Number'])}(${s()})`,
      () => `parseInt(${s()}, ${2 + random.below(35)})`,
      () => `${l()}.${random.pick(['indexOf', 'lastIndexOf'])}(${this.expression('any', depth)})`,
      () => `${l()}.findIndex((x, i) => ${random.pick(['x > i', 'typeof x === "number"', 'i === 1', '!x'])})`,
      () => `${l()}.reduce((s, x, i) => s + (typeof x === 'number' ? x : i), ${n()})`,
      () => `(${this.expression('object', depth)}.a ?? ${n()})`,
      () => `${l()}.reduceRight((s, x, i) => s * 2 + i, ${n()})`,
      () => `${l()}.findLastIndex((x, i) => ${random.pick(['x === undefined', 'i < 2', 'x'])})`,
      () => `${l()}.filter(() => true).length`,
      () => `new Date(${n()}).getTime()`,
      () =>
        `new Date(2020, ${random.below(14)}, ${random.below(40)}, ${random.below(30)}).${random.pick(['getDay', 'getMonth', 'getDate', 'getHours', 'getTime', 'getUTCFullYear'])}()`,
      () => `new Set(${l()}).size`,
    ])()
  }

  private string(depth: number): string {
    const { random } = this
    const n = (): string => this.expression('number', depth)
    const s = (): string => this.expression('string', depth)
    const l = (): string => this.expression('list', depth)
    const small = (): string => random.pick(['0', '1', '2', '3', '-1', '-2', '5', 'undefined', 'NaN', '1.7', "'1'"])
    return random.pick([
      () => `(${s()} + ${this.expression('any', depth)})`,
      () => `\`\${${this.expression('any', depth)}}-\${${n()}}\``,
      () => `String(${this.expression('any', depth)})`,
      () =>
        `${s()}.${random.pick(['toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd', 'toString', 'normalize'])}()`,
      () => `${s()}.${random.pick(['slice', 'substring', 'substr'])}(${small()}, ${small()})`,
      () =>
        `${s()}.${random.pick(['padStart', 'padEnd'])}(${random.below(12)}, ${random.pick(["'-'", "'ab'", 'undefined', "''"])})`,
      () => `${s()}.repeat(${random.below(3)})`,
      () => `${s()}.${random.pick(['charAt', 'concat'])}(${small()})`,
      () =>
        `${s()}.replace(${random.pick(regexes)}, ${random.pick(["'[$&]'", "'$1$2'", "'$$'", '(m, ...r) => m.toUpperCase() + r.length', "'$<first>'", "'$`|$\\''", "''"])})`,
      () =>
        `${s()}.replaceAll(${random.pick(["'a'", "''", '/[a-z]/g', '/b|c/gi'])}, ${random.pick(["'-'", "'$&$&'", '(m, i) => i'])})`,
      () => `${l()}.join(${random.pick(['', "'-'", "''", 'undefined'])})`,
      () =>
        `(JSON.stringify(${this.expression(random.pick(['any', 'object', 'list']), depth)}${random.pick(['', ', null, 2', ", ['a', 'x']", ', (k, v) => (typeof v === "number" ? v + 1 : v)'])}) + '')`,
      () => `typeof ${this.expression('any', depth)}`,
      () =>
        `(${n()}).${random.pick(['toFixed(2)', 'toString()', 'toString(2)', 'toString(36)', 'toPrecision(3)', 'toExponential(1)', 'toFixed()'])}`,
      () =>
        `${random.pick(['encodeURIComponent', 'encodeURI'])}(${random.pick(strings.filter((text) => !text.includes('😀')))})`,
      () => `String.fromCharCode(${65 + random.below(60)}, ${97 + random.below(20)})`,
      () => `Object.keys(${this.expression(random.pick(['object', 'list']), depth)}).join()`,
      () => `${l()}.reduceRight((s, x, i) => s + i + typeof x, ${s()})`,
      () =>
        `new Date(${random.below(4)} * 1e9 + ${random.below(1000)}).${random.pick(['toISOString', 'toString', 'toUTCString', 'toJSON', 'toDateString', 'toLocaleDateString', 'toLocaleTimeString'])}()`,
    ])()
  }

  private boolean(depth: number): string {
    const { random } = this
    const any = (): string => this.expression('any', depth)
    const n = (): string => this.expression('number', depth)
    const s = (): string => this.expression('string', depth)
    const l = (): string => this.expression('list', depth)
    return random.pick([
      () => `(${n()} ${random.pick(['<', '<=', '>', '>=', '===', '!==', '==', '!='])} ${n()})`,
      () => `(${s()} ${random.pick(['<', '<=', '>', '>=', '===', '==', '!='])} ${s()})`,
      () => `(${any()} ${random.pick(['==', '!=', '===', '!==', '<', '>='])} ${any()})`,
      () => `!${any()}`,
      () => `(${this.expression('boolean', depth)} ${random.pick(['&&', '||'])} ${this.expression('boolean', depth)})`,
      () => `${s()}.${random.pick(['includes', 'startsWith', 'endsWith'])}(${s()})`,
      () => `${l()}.includes(${any()})`,
      () =>
        `${l()}.${random.pick(['some', 'every'])}((x) => ${random.pick(['x', '!x', 'typeof x === "string"', 'x > 1'])})`,
      () => `${random.pick(regexes)}.test(${s()})`,
      () => `Array.isArray(${any()})`,
      () => `Number.${random.pick(['isInteger', 'isFinite', 'isNaN', 'isSafeInteger'])}(${any()})`,
      () => `Object.is(${any()}, ${any()})`,
      () => `('${this.key()}' in ${this.expression('object', depth)})`,
      () => `Object.hasOwn(${this.expression('object', depth)}, '${this.key()}')`,
      () => `(${random.below(5)} in ${l()})`,
      () => `(${s()} in ${l()})`,
      () => `Object.hasOwn(${l()}, ${random.pick(['0', '1', '2', '"1"', "'length'"])})`,
      () => `Boolean(${any()})`,
      () =>
        `(${any()} instanceof ${random.pick(['Array', 'Object', 'Map', 'Error', 'Date', 'Function'].slice(0, 1).concat(['Map', 'Error', 'Date']))})`,
    ])()
  }

  private list(depth: number): string {
    const { random } = this
    const any = (): string => this.expression('any', depth)
    const s = (): string => this.expression('string', depth)
    const l = (): string => this.expression('list', depth)
    const small = (): string => random.pick(['0', '1', '2', '-1', '-2', '9', 'undefined'])
    return random.pick([
      () => `[${any()}, ${any()}]`,
      () => `[...${l()}, ${any()}]`,
      () =>
        `[${random.pick(['', any()])}, ${random.pick(['', any(), `...${l()}`])}, ${random.pick(['', `${any()}, `])}]`,
      () => `${random.pick(['', 'new '])}Array(${random.below(5)})`,
      () => `[...${s()}].slice(0, 6)`,
      () => `${l()}.map((x, i) => ${random.pick(['x', 'i', '[x, i]', 'String(x)', '({ x })', 'x + i', 'typeof x'])})`,
      () => `${l()}.filter((x) => ${random.pick(['x', '!x', 'typeof x === "number"', 'x != null'])})`,
      () => `${l()}.slice(${small()}, ${small()})`,
      () => `${l()}.concat(${random.pick([l, any])()})`,
      () =>
        `${l()}.toSorted(${random.pick(['', '(a, b) => a - b', '(a, b) => (a > b ? -1 : 1)', '(a, b) => String(a).length - String(b).length'])})`,
      () =>
        `${l()}.${random.pick(['toReversed()', 'flat()', 'flat(Infinity)', 'toSpliced(1, 1)', 'toSpliced(0, 0, 9)', 'slice().reverse()', 'slice().sort()', 'slice().sort((a, b) => (a > b ? 1 : -1))', 'slice().copyWithin(1, 0, 2)', 'slice().fill(0, 1)', 'concat([, 1])', 'toSorted()'])}`,
      () => `${l()}.flatMap((x) => ${random.pick(['[x, x]', 'x', '[]', '[[x]]'])})`,
      () =>
        `${s()}.split(${random.pick(["','", "''", 'undefined', '/[,\\s]/', '/(l)/', '/b?/'])}${random.pick(['', ', 2'])}).slice(0, 9)`,
      () => `(${s()}.match(${random.pick(regexes)}) ?? [])`,
      () => `[...${s()}.matchAll(${random.pick(regexes.filter((one) => /\/\w*g\w*$/.test(one)))})]`,
      () =>
        `Array.from({ length: ${random.below(4)} }, (_, i) => ${random.pick(['i', 'i * i', `'${this.key()}' + i`])})`,
      () =>
        `Object.${random.pick(['keys', 'values', 'entries'])}(${this.expression(random.pick(['object', 'list']), depth)})`,
      () => `[...${l()}.${random.pick(['keys', 'values', 'entries'])}()]`,
      () => `Array.from(${l()}${random.pick(['', ', (x, i) => [i, x]'])})`,
      () => `structuredClone(${l()})`,
      () => `[...new Set(${l()})]`,
      () => `[...new Map(${l()}.slice(0, 3).map((x, i) => [i % 2, x]))]`,
      () => `Array.of(${any()}, ${any()})`,
      () => `${l()}.at(${small()}) === undefined ? [] : [${any()}]`,
    ])()
  }

  private object(depth: number): string {
    const { random } = this
    const any = (): string => this.expression('any', depth)
    const o = (): string => this.expression('object', depth)
    return random.pick([
      () => `({ ${this.key()}: ${any()}, ${this.key()}: ${any()} })`,
      () => `({ ...${o()}, ${this.key()}: ${any()} })`,
      () => `({ ['${this.key()}' + ${random.below(3)}]: ${any()}, ${random.below(12)}: ${any()} })`,
      () => `Object.assign({}, ${o()}, ${o()})`,
      () => `Object.fromEntries(Object.entries(${o()}).map(([k, v]) => [k + '1', v]))`,
      () => `JSON.parse(JSON.stringify(${o()}))`,
      () => `({ ...Object.groupBy(${this.expression('list', depth)}, (x) => typeof x) })`,
      () => `structuredClone(${o()})`,
      () => `({ ...${this.expression('list', depth)} })`,
      () => `({ ...${this.expression('string', depth)}.slice(0, 3) })`,
    ])()
  }

  private any(depth: number): string {
    const { random } = this
    if (random.chance(0.7))
      return this.expression(random.pick(['number', 'string', 'boolean', 'list', 'object']), depth)
    const o = (): string => this.expression('object', depth)
    const l = (): string => this.expression('list', depth)
    const any = (): string => this.expression('any', depth)
    return random.pick([
      () => `${o()}.${this.key()}`,
      () => `${o()}?.${this.key()}?.${this.key()}`,
      () => `${any()}?.[String(${this.expression('string', 0)})]`,
      () => `${l()}[${random.below(4)}]`,
      () => `${l()}.at(-1)`,
      () => `${l()}.find((x) => x)`,
      () => `(${any()} ?? ${any()})`,
      () => `(${any()} ${random.pick(['&&', '||'])} ${any()})`,
      () => `(${any()}, ${any()})`,
      () => `((x) => ${random.pick(['x', '[x]', '({ x })'])})(${any()})`,
      () => `new Map(Object.entries(${o()})).get('${this.key()}')`,
      () =>
        this.canAwait
          ? `(await Promise.${random.pick(['all', 'allSettled'])}([${any()}, Promise.resolve(${any()})]))`
          : `[${any()}]`,
      () => (this.canAwait ? `(await ${any()})` : `void 0`),
      () => `${o()}[Number(${this.expression('number', 0)})]`,
    ])()
  }
}
