import { ExpressionGenerator, type Type } from './expression-generator.ts'
import { COMPARED_BUILTINS, LISTED, listedFor } from '../language/productions.ts'
import type { Production } from '../language/productions.ts'
import { RandomSource } from './random-source.ts'

/** A generated body: sync or async, and the same for the same seed. */
export interface GeneratedProgram {
  readonly seed: number
  readonly source: string
  readonly isAsync: boolean
  /** Things of the language that it was made to contain. */
  readonly listed: readonly string[]
}

const types: readonly Type[] = ['number', 'string', 'boolean', 'list', 'object', 'any']

/** Statements over a growing set of variables; every loop ends. */
class ProgramGenerator extends ExpressionGenerator {
  private loops = 0
  private labels: string[] = []
  private depth = 0
  private inFunction = 0

  program(listed: readonly Production[]): string {
    const count = 3 + this.random.below(8)
    const [first, ...rest] = listed
    // One comes before all that could end the program early.
    const lines = [this.listed(first!), ...Array.from({ length: count }, () => this.statement())]
    for (const production of rest) lines.push(this.listed(production))
    const shown = this.names().slice(-6)
    return [...lines, `return [${shown.join(', ')}]`].join('\n')
  }

  /** A statement about one thing of the language; what it gives is shown, or that it fails. */
  private listed({ write }: Production): string {
    const name = this.fresh()
    const line = write(
      {
        number: () => `(${this.expression('number', 1)})`,
        text: () => `(${this.expression('string', 1)})`,
        flag: () => `(${this.expression('boolean', 1)})`,
        list: () => `(${this.expression('list', 1)})`,
        record: () => `(${this.expression('object', 1)})`,
        any: () => `(${this.expression('any', 1)})`,
        // A promise that is rejected and that nothing waits for would end the process.
        kept: (made, isPromise) =>
          isPromise ? (this.canAwait ? `await ${made}` : `((p) => (p?.catch?.(() => 0), p))(${made})`) : made,
        fresh: () => this.fresh(),
      },
      name,
    )
    return `try { ${line}; console.log(${name}) } catch { console.log('failed') }`
  }

  private block(): string {
    return this.inScope(() => {
      this.depth += 1
      const lines = Array.from({ length: 1 + this.random.below(3) }, () => this.statement())
      this.depth -= 1
      return `{\n${lines.join('\n')}\n}`
    })
  }

  private statement(): string {
    const { random } = this
    if (this.depth > 3) return this.simple()
    const kinds: (() => string)[] = [
      () => this.simple(),
      () => this.simple(),
      () => this.simple(),
      () => this.declaration(),
      () => this.declaration(),
      () => this.declaration(),
      () => this.destructuring(),
      () => this.functionDeclaration(),
      () => this.branch(),
      () => this.loop(),
      () => this.forOf(),
      () => this.tryStatement(),
      () => this.switchStatement(),
      () => this.closureLoop(),
    ]
    return random.pick(kinds)()
  }

  private simple(): string {
    const { random } = this
    const variable = this.variable(random.pick(types), true)
    const choice = random.below(10)
    if (choice < 2) return `console.log(${this.expression('any', 2)})`
    if (choice < 3 && this.loops > 0 && this.inFunction === 0) return this.jump()
    if (choice < 4) return this.mutation()
    if (variable === undefined) return `console.log(${this.expression('string', 2)})`
    if (variable.type === 'number' && choice < 7) {
      return random.pick([
        `${variable.name} ${random.pick(['+=', '-=', '*=', '%=', '|=', '&=', '^=', '<<=', '>>=', '>>>=', '**='])} ${this.expression('number', 2)}`,
        `${variable.name}${random.pick(['++', '--'])}`,
        `console.log(${random.pick(['++', '--'])}${variable.name}, ${variable.name}${random.pick(['++', '--'])})`,
      ])
    }
    if (choice < 8) return `${variable.name} ${random.pick(['&&=', '||=', '??='])} ${this.expression(variable.type, 2)}`
    return `${variable.name} = ${this.expression(variable.type, 3)}`
  }

  /** Changes of lists, objects, maps and sets that stay small. */
  private mutation(): string {
    const { random } = this
    const list = this.variable('list', false)
    const object = this.variable('object', false)
    const options: string[] = []
    if (list !== undefined) {
      options.push(
        `${list.name}.push(${this.expression('any', 1)})`,
        `console.log(${list.name}.pop(), ${list.name}.length)`,
        `${list.name}.splice(${random.below(3)}, ${random.below(3)}, ${this.expression('any', 1)})`,
        `${list.name}.sort()`,
        `${list.name}.reverse()`,
        `${list.name}.length = Math.min(${list.name}.length, ${random.below(4)})`,
        `${list.name}[0] = ${this.expression('any', 1)}`,
        `${list.name}.unshift(${this.expression('any', 1)}, ${this.expression('any', 1)})`,
        `${list.name}.fill(${this.expression('any', 1)}, ${random.below(3)})`,
        `console.log(delete ${list.name}[${random.below(4)}], ${list.name})`,
        `${list.name}.length += ${random.below(3)}`,
        `${list.name}[${list.name}.length + ${random.below(3)}] = ${this.expression('any', 1)}`,
        `console.log(${list.name}.shift(), ${list.name})`,
        `${list.name}.copyWithin(${random.below(3)}, ${random.below(3)})`,
        `console.log(${list.name}.splice(${random.below(3)}, ${random.below(3)}), ${list.name})`,
        `${list.name}.forEach((x, i, all) => { console.log(x, i); if (i === ${random.below(3)}) ${random.pick(['delete all[i + 1]', 'all.pop()', 'all[i + 1] = 7', 'all.length = 1'])} })`,
      )
    }
    if (object !== undefined) {
      options.push(
        `${object.name}.${this.key()} = ${this.expression('any', 2)}`,
        `${object.name}[String(${this.expression('string', 1)})] = ${this.expression('any', 1)}`,
        `delete ${object.name}.${this.key()}`,
        `${object.name}[${random.below(20)}] = ${this.expression('any', 1)}`,
        `Object.assign(${object.name}, { ${this.key()}: ${this.expression('any', 1)} })`,
      )
    }
    return options.length === 0 ? `console.log(${this.expression('any', 2)})` : random.pick(options)
  }

  private declaration(): string {
    const type = this.random.pick(types)
    const value = this.expression(type, 3)
    const kind = this.random.pick(['let', 'let', 'const', 'var'])
    const isAwaited = this.canAwait && this.random.chance(0.2)
    const name = kind === 'var' && this.depth > 0 ? this.introduce(type, 'let') : this.introduce(type, kind)
    const keyword = kind === 'var' && this.depth > 0 ? 'let' : kind
    return `${keyword} ${name} = ${isAwaited ? `await ${this.promise(value)}` : value}`
  }

  private promise(value: string): string {
    return this.random.pick([`(${value})`, `Promise.resolve(${value})`, `(async () => (${value}))()`])
  }

  private destructuring(): string {
    const { random } = this
    const list = this.expression('list', 2)
    const object = this.expression('object', 2)
    const fallback = this.expression('number', 1)
    const [a, b, c] = [this.fresh(), this.fresh(), this.fresh()]
    const patterns: [string, [string, Type][]][] = [
      [
        `const [${a}, ${b} = ${fallback}] = ${list}`,
        [
          [a, 'any'],
          [b, 'any'],
        ],
      ],
      [
        `let [${a}, ...${b}] = ${list}`,
        [
          [a, 'any'],
          [b, 'list'],
        ],
      ],
      [
        `const { ${this.key()}: ${a} = ${fallback}, ...${b} } = ${object}`,
        [
          [a, 'any'],
          [b, 'object'],
        ],
      ],
      [
        `const { a: ${a}, b: { c: ${b} = 1 } = {} } = { ...${object}, b: ${object} }`,
        [
          [a, 'any'],
          [b, 'any'],
        ],
      ],
      [
        `let ${a} = 1, ${b} = 2, ${c}; [${a}, ${b}] = [${b}, ${a}]; ({ a: ${c} = ${fallback} } = ${object})`,
        [
          [a, 'number'],
          [b, 'number'],
          [c, 'any'],
        ],
      ],
      [
        `const [[${a}], { length: ${b} }] = [${list}, ${list}]`,
        [
          [a, 'any'],
          [b, 'number'],
        ],
      ],
    ]
    const [text, names] = random.pick(patterns)
    for (const [name, type] of names) this.know(name, type, text.startsWith('const') ? 'const' : 'let')
    return text
  }

  private functionDeclaration(): string {
    const { random } = this
    const name = this.fresh()
    const [a, b] = [this.fresh(), this.fresh()]
    const wasAsync = this.canAwait
    this.canAwait = false
    this.inFunction += 1
    const [outerLoops, outerLabels] = [this.loops, this.labels]
    this.labels = []
    const body = this.inScope(() => {
      this.know(a, 'number', 'let')
      this.know(b, 'any', 'let')
      const inner = this.depth < 3 ? this.block() : '{}'
      return `${inner}\nreturn ${this.expression('any', 2)}`
    })
    this.loops = outerLoops
    this.labels = outerLabels
    this.inFunction -= 1
    const head = random.pick([
      `function ${name}(${a}, ${b} = ${this.expression('any', 1)}) {`,
      `const ${name} = (${a}, ...${b}) => {`,
      `const ${name} = function (${a} = 3, ${b}) {`,
      `const ${name} = ({ x: ${a} = 1 } = {}, ${b}) => {`,
    ])
    this.canAwait = wasAsync
    const call = head.includes('{ x:')
      ? `${name}({ x: ${random.below(9)} }, ${this.expression('any', 1)})`
      : `${name}(${random.below(9)}, ${this.expression('any', 1)})`
    const result = this.fresh()
    this.know(result, 'any', 'let')
    return `${head}\n${body}\n}\nlet ${result} = ${call}`
  }

  private branch(): string {
    const otherwise = this.random.chance(0.5) ? ` else ${this.block()}` : ''
    return `if (${this.expression('boolean', 2)}) ${this.block()}${otherwise}`
  }

  private label(): readonly [name: string | undefined, text: string] {
    if (!this.random.chance(0.3)) return [undefined, '']
    const name = this.fresh()
    return [name, `${name}: `]
  }

  private inLoop(make: () => string, label: string | undefined): string {
    const { labels } = this
    this.loops += 1
    if (label !== undefined) this.labels = [...labels, label]
    const text = make()
    this.loops -= 1
    this.labels = labels
    return text
  }

  private jump(): string {
    const target = this.labels.length > 0 && this.random.chance(0.5) ? ` ${this.random.pick(this.labels)}` : ''
    return `if (${this.expression('boolean', 1)}) ${this.random.pick(['break', 'continue'])}${target}`
  }

  private loop(): string {
    const { random } = this
    const counter = this.fresh()
    const count = 1 + random.below(4)
    const [label, text] = this.label()
    const body = (): string =>
      this.inLoop(
        () =>
          this.inScope(() => {
            this.know(counter, 'number', 'const')
            return this.block()
          }),
        label,
      )
    return random.pick([
      () => `${text}for (let ${counter} = 0; ${counter} < ${count}; ${counter}++) ${body()}`,
      () => `{ let ${counter} = 0; ${text}while (${counter}++ < ${count}) ${body()} }`,
      () => `{ let ${counter} = 0; ${text}do ${body()} while (++${counter} < ${count}) }`,
    ])()
  }

  private forOf(): string {
    const { random } = this
    const [a, b] = [this.fresh(), this.fresh()]
    const [label, text] = this.label()
    const heads: [string, [string, Type][]][] = [
      [`for (const ${a} of ${this.expression('list', 2)}.slice(0, 4))`, [[a, 'any']]],
      [`for (const ${a} of ${this.expression('string', 1)}.slice(0, 4))`, [[a, 'string']]],
      [
        `for (const [${a}, ${b}] of Object.entries(${this.expression('object', 2)}))`,
        [
          [a, 'string'],
          [b, 'any'],
        ],
      ],
      [
        `for (const [${a}, ${b}] of new Map([[1, 'a'], ['k', ${this.expression('number', 1)}]]))`,
        [
          [a, 'any'],
          [b, 'any'],
        ],
      ],
      [`for (const ${a} of new Set(${this.expression('list', 1)}.slice(0, 4)))`, [[a, 'any']]],
      [`for (const ${a} in ${this.expression('object', 2)})`, [[a, 'string']]],
      [`for (const ${a} in ${this.expression('list', 2)}.slice(0, 4))`, [[a, 'string']]],
      [
        `for (const [${a}, ${b}] of ${this.expression('list', 1)}.slice(0, 3).entries())`,
        [
          [a, 'number'],
          [b, 'any'],
        ],
      ],
    ]
    const [head, names] = random.pick(heads)
    const body = this.inLoop(
      () =>
        this.inScope(() => {
          for (const [name, type] of names) this.know(name, type, 'const')
          return this.block()
        }),
      label,
    )
    return `${text}${head} ${body}`
  }

  /** Closures of a loop each have their own variable. */
  private closureLoop(): string {
    const [list, counter] = [this.fresh(), this.fresh()]
    const text = `const ${list} = []; for (let ${counter} = 0; ${counter} < 3; ${counter}++) { ${list}.push(() => ${counter} * ${this.expression('number', 1)}); if (${this.expression('boolean', 1)}) ${counter}++ }`
    const result = this.fresh()
    this.know(result, 'list', 'const')
    return `${text}\nconst ${result} = ${list}.map((f) => f())`
  }

  private tryStatement(): string {
    const { random } = this
    const error = this.fresh()
    const thrown = random.pick([
      `throw new ${random.pick(['Error', 'TypeError', 'RangeError', 'SyntaxError'])}(${this.expression('string', 1)})`,
      `throw ${this.expression('any', 1)}`,
      `null.x`,
      `undefined.foo()`,
      `(0)()`,
      this.simple(),
      `console.log(${this.expression('any', 3)})`,
    ])
    const guard = random.chance(0.7) ? `if (${this.expression('boolean', 1)}) { ${thrown} }` : thrown
    const caught = this.inScope(() => {
      this.know(error, 'any', 'const')
      return `catch (${error}) { console.log('caught', ${error}) ; ${this.depth < 3 ? this.statement() : ''} }`
    })
    const last = `finally { console.log('finally'); ${this.loops > 0 && this.inFunction === 0 && random.chance(0.2) ? this.jump() : ''} }`
    return `try { ${guard} } ${caught} ${random.chance(0.4) ? last : ''}`
  }

  private switchStatement(): string {
    const { random } = this
    const cases = Array.from({ length: 1 + random.below(3) }, () => {
      const body = this.inScope(() => `${this.simple()}\n${random.chance(0.6) ? 'break' : ''}`)
      return `case ${random.pick([String(random.below(4)), `'${this.key()}'`, this.expression('any', 1)])}: { ${body} }`
    })
    if (random.chance(0.6)) cases.splice(random.below(cases.length + 1), 0, `default: console.log('default')`)
    return `switch (${this.expression(random.pick(['number', 'string', 'any']), 1)}) {\n${cases.join('\n')}\n}`
  }
}

/** The program of a seed. */
export function generate(seed: number): GeneratedProgram {
  const random = new RandomSource(seed)
  const isAsync = random.chance(0.35)
  const generator = new ProgramGenerator(random, isAsync)
  const listed = [...listedFor(seed, 1, COMPARED_BUILTINS), ...listedFor(seed, 1, LISTED)]
  return { seed, isAsync, source: generator.program(listed), listed: listed.map(({ of }) => of) }
}
