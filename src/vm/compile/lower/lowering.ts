import { DIRECTION, MandateError, nearest } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import { isTagged } from '../../../expr/index.ts'
import type { Position } from '../../../expr/index.ts'
import { UNITS_PER_FUEL } from '../../meter/live.ts'
import type { VmLimits } from '../../meter/limits.ts'
import type { AtomSpec } from '../../port.ts'
import type { Ex, ObjectEx, Property, Var } from '../ir.ts'
import type { Block, Request, St } from '../ir-statements.ts'
import type { Fields, Language } from '../language.ts'
import { strangeField } from './node-fields.ts'

/** Fuel by operation; those that depend on the input are in the specifications of atoms. */
export type StepCosts = Readonly<Record<string, unknown>>

interface LoweringOptions {
  readonly language: Language
  readonly atoms: ReadonlyMap<string, AtomSpec>
  readonly limits: Pick<VmLimits, 'expressionDepth' | 'programNodes'>
  /** Cost of steps in this run, in fuel, by operation. */
  readonly costs?: StepCosts | undefined
  /** Names of the arguments, if known. */
  readonly argNames?: ReadonlySet<string> | undefined
  /** Tools that may be called, if known. */
  readonly tools?: readonly string[] | undefined
  /** Whether the script front end created it, so that unknown fields need no check. */
  readonly isOurs?: boolean | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface NameScope {
  readonly names: string[]
  readonly once: string[]
  /** A loop body: constants are per iteration, other names belong to the enclosing scope. */
  readonly isTurn: boolean
}

/** Lowers a JSON program to the IR, checking every node. The input is not changed. */
export class Lowering {
  readonly language: Language
  readonly atoms: ReadonlyMap<string, AtomSpec>
  readonly helpers: Set<string> = new Set()
  /** Whether any `var` was met: such names belong to whole functions. */
  usesVar = false
  readonly #limits: Pick<VmLimits, 'expressionDepth' | 'programNodes'>
  readonly #costs: StepCosts | undefined
  readonly #isOurs: boolean
  readonly #argNames: ReadonlySet<string> | undefined
  readonly #tools: readonly string[] | undefined
  /** Requests hoisted before the current step; `undefined` where a part may not be evaluated. */
  #before: St[] | undefined
  /** An earlier part of the step makes a call. */
  #hasCalled = false
  readonly #path: (string | number)[] = []
  #scopes: NameScope[] = []
  #nodes = 0
  #depth = 0
  #hidden = 0

  constructor(options: LoweringOptions) {
    this.language = options.language
    this.atoms = options.atoms
    this.#limits = options.limits
    this.#costs = options.costs
    this.#isOurs = options.isOurs === true
    this.#argNames = options.argNames
    this.#tools = options.tools
  }

  get path(): string {
    let text = ''
    for (const part of this.#path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`
    return text
  }

  fail(message: string, at?: unknown): never {
    const where = Array.isArray(at) ? ` (line ${String(at[0])}, column ${String(at[1])})` : ''
    throw new MandateError(
      'INPUT_INVALID',
      `The program is not valid at \`${this.path || 'program'}\`${where}: ${message}`,
      {
        info: { path: this.path },
      },
    )
  }

  /** Descends into a field, checking depth and node limits. */
  within<T>(part: string | number, work: () => T): T {
    this.#descend(part)
    const result = work()
    this.#ascend()
    return result
  }

  #descend(part: string | number): void {
    this.#path.push(part)
    if (++this.#nodes > this.#limits.programNodes)
      this.fail(`it has more nodes than limit \`programNodes\` allows (${this.#limits.programNodes}).`)
    if (++this.#depth > this.#limits.expressionDepth)
      this.fail(`it is nested deeper than limit \`expressionDepth\` allows (${this.#limits.expressionDepth}).`)
  }

  #ascend(): void {
    this.#depth -= 1
    this.#path.pop()
  }

  /** The expression in a field. */
  expr(node: Fields, field: string): Ex {
    if (!this.#has(node, field)) this.fail(`\`${field}\` is missing.`)
    this.#descend(field)
    const made = this.value(node[field])
    this.#ascend()
    return made
  }

  optional(node: Fields, field: string): Ex | undefined {
    // Most nodes have no position; reading the field is faster than `hasOwn`.
    return node[field] !== undefined && Object.hasOwn(node, field) ? this.expr(node, field) : undefined
  }

  /** Whether a required field is present; the front end never omits one. */
  #has(node: Fields, field: string): boolean {
    return this.#isOurs || Object.hasOwn(node, field)
  }

  exprs(node: Fields, field: string): Ex[] {
    return this.list(node, field, (item) => this.value(item))
  }

  list<T>(node: Fields, field: string, read: (item: unknown) => T): T[] {
    const items = this.#has(node, field) ? node[field] : undefined
    if (!Array.isArray(items)) this.fail(`\`${field}\` must be a list.`)
    this.#descend(field)
    const made: T[] = []
    for (let i = 0; i < items.length; i++) {
      this.#descend(i)
      made.push(read(items[i]))
      this.#ascend()
    }
    this.#ascend()
    return made
  }

  text(node: Fields, field: string): string {
    const value = this.#has(node, field) ? node[field] : undefined
    if (typeof value !== 'string') this.fail(`\`${field}\` must be a text.`)
    return value
  }

  flag(node: Fields, field: string): boolean {
    return node[field] === true && Object.hasOwn(node, field)
  }

  record(value: unknown): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.fail('an object is wanted here.')
    return value as Fields
  }

  at(node: Fields): Position | undefined {
    const { at } = node
    if (at === undefined || !this.#has(node, 'at')) return undefined
    return this.#isOurs || isPosition(at) ? (at as Position) : undefined
  }

  /** A value position: a node, or a bare value that may contain nodes. */
  value(value: unknown): Ex {
    if (isTagged(value)) return this.tagged(value as Fields)
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return { k: 'lit', value }
    if (typeof value === 'number') return { k: 'lit', value }
    if (typeof value !== 'object') this.fail(`a ${typeof value} is no value of a program.`)
    // A nested program is data with its own names.
    if (isProgramValue(value)) return { k: 'data', json: this.json(value) }
    if (!this.holdsNodes(value)) return { k: 'data', json: this.json(value) }
    if (Array.isArray(value))
      return { k: 'list', items: value.map((item: unknown, index) => this.within(index, () => this.value(item))) }
    return this.fields(value as Fields, [])
  }

  /** The fields of a step as an object expression. */
  fields(step: Fields, skip: readonly string[]): ObjectEx {
    const properties: Property[] = []
    for (const [key, value] of Object.entries(step))
      if (!skip.includes(key) && value !== undefined)
        properties.push({ key: this.key(key), value: this.within(key, () => this.value(value)) })
    return { k: 'object', properties }
  }

  tagged(node: Fields): Ex {
    const kind = Object.hasOwn(node, '$expr') ? node['$expr'] : `$${shown(node['$kind'])}`
    const lower = typeof kind === 'string' ? this.language.lowerExprs.get(kind) : undefined
    if (lower === undefined) this.fail(`there is no expression \`${shown(kind)}\`${this.#scriptHint()}.`, this.at(node))
    const strange = this.#isOurs ? undefined : strangeField(this.language.wireFields.get(kind as string), node)
    if (strange !== undefined) this.fail(`\`${shown(kind)}\` has no field \`${shown(strange)}\`.`, this.at(node))
    const ex = lower(node, this) as Ex & { at?: Position }
    const at = this.at(node)
    if (at !== undefined) ex.at = at
    return ex
  }

  #scriptHint(): string {
    return this.language.isScript ? '' : ' in a JSON program'
  }

  json(value: unknown): Json {
    this.#count(value, 0)
    return value as Json
  }

  #count(value: unknown, depth: number): void {
    if (++this.#nodes > this.#limits.programNodes)
      this.fail(`it has more nodes than limit \`programNodes\` allows (${this.#limits.programNodes}).`)
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
        this.fail(`a ${typeof value} is no data.`)
      return
    }
    if (depth > this.#limits.expressionDepth) this.fail(`data is nested deeper than limit \`expressionDepth\` allows.`)
    for (const [key, item] of Object.entries(value)) {
      this.key(key)
      this.#count(item, depth + 1)
    }
  }

  /** Whether a bare list or object has a node somewhere inside. */
  holdsNodes(value: unknown, depth = 0): boolean {
    if (typeof value !== 'object' || value === null) return false
    if (depth > this.#limits.expressionDepth) this.fail(`data is nested deeper than limit \`expressionDepth\` allows.`)
    if (isProgramValue(value)) return false
    return isTagged(value) || Object.values(value).some((item) => this.holdsNodes(item, depth + 1))
  }

  /** The statements in a field, in their scope. */
  steps(node: Fields, field: string): St[] {
    return this.list(node, field, (item) => this.step(item)).flat()
  }

  block(node: Fields, field: string): Block {
    return { k: 'block', body: this.steps(node, field) }
  }

  step(value: unknown): readonly St[] {
    const step = this.record(value)
    const op = Object.hasOwn(step, 'op') ? step['op'] : undefined
    if (typeof op !== 'string') this.fail('a step needs an `op`.')
    const lower =
      this.language.lowerSteps.get(op) ?? (this.atoms.has(op) ? this.language.lowerSteps.get('%atom') : undefined)
    if (lower === undefined)
      this.fail(`there is no operation \`${op}\`. Register it as an atom, or mend its name.`, this.at(step))
    const [before, made] = this.#withAsked(() => lower(step, this))
    const cost = this.#costs !== undefined && Object.hasOwn(this.#costs, op) ? this.#costs[op] : undefined
    made.forEach((st: Writable<St>, index) => {
      // The first statement carries the cost of the step; nested ones have their own.
      if (typeof cost === 'number' && st.op === undefined) st.cost = index > 0 ? 0 : Math.round(cost * UNITS_PER_FUEL)
      this.#place(st, step, op)
    })
    for (const st of before) this.#place(st, step, 'toolCall')
    return before.length === 0 ? made : [...before, ...made]
  }

  #withAsked(lower: () => readonly St[]): [before: readonly St[], made: readonly St[]] {
    const [outer, hadCalled] = [this.#before, this.#hasCalled]
    const before: St[] = []
    this.#before = before
    this.#hasCalled = false
    const made = lower()
    this.#before = outer
    this.#hasCalled = hadCalled
    return [before, made]
  }

  /** Lowers a part of a step that may be evaluated never or repeatedly. */
  perhaps<T>(work: () => T): T {
    const before = this.#before
    this.#before = undefined
    const result = work()
    this.#before = before
    return result
  }

  /** Records a call in a part of the step, which might change what a later part reads. */
  noteCall(): void {
    this.#hasCalled = true
  }

  /** Hoists a request before the step, so that its result can be used in an expression. Throws if that would change the order of effects. */
  ask(node: Fields, read: () => Omit<Request, 'target'>): Var {
    const before = this.#before
    if (before === undefined || this.#hasCalled)
      return this.fail(
        'a tool cannot be called here: it is not certain that, or in which order, this is computed. Put it before, as a step: `{ op: "toolCall", name, input, result }`.',
        this.at(node),
      )
    const request = read()
    this.#hasCalled = false
    const target = this.hiddenTarget()
    before.push({ ...request, target })
    return { k: 'var', name: target.name }
  }

  /** Throws for a tool that was not granted, if the granted tools are known. */
  checkTool(name: string, node: Fields): void {
    const tools = this.#tools
    if (tools === undefined || tools.includes(name)) return
    const meant = nearest(name, tools)
    const advice = meant === undefined ? 'Grant it to the program.' : `Did you mean \`${meant}\`?`
    const at = this.at(node)
    const where = at === undefined ? '' : ` (line ${at[0]}, column ${at[1]})`
    throw new MandateError(
      'TOOL_UNKNOWN',
      `The program is not valid at \`${this.path}\`${where}: there is no tool \`${shown(name)}\`. ${advice}`,
      { info: { path: this.path, kind: 'refused', name: shown(name) } },
    )
  }

  /** Records the location of a statement, unless it has one. Source positions are preferred to JSON paths. */
  #place(st: Writable<St>, step: Fields, op: string): void {
    if (st.op !== undefined) return
    st.op = op
    const at = this.at(step)
    if (at !== undefined) st.at = at
    else if (!this.language.isScript) st.path = this.path
  }

  /** A name of the program; reserved names are refused. */
  name(name: string): string {
    if (this.language.isScript) return name
    if (/^%\d|^%maybe:/.test(name)) this.fail('a name must not begin with "%" and a number, as the machine\'s own do.')
    if (name === '__proto__') this.fail('`__proto__` cannot be a name.')
    if (DIRECTION.test(name)) this.fail('a name must not hold characters that change the direction of text.')
    return name
  }

  /** A key of data that the program holds. */
  key(key: string): string {
    if (key === '__proto__' && !this.language.isScript)
      this.fail('`__proto__` cannot be a key: objects have no prototype. Use another name.')
    return key
  }

  /** Whether a name is a variable of the program so far, or an argument. */
  isGiven(name: string): boolean {
    return this.#isKnown(name) || this.#argNames?.has(name) === true
  }

  /** A fresh internal name. */
  hiddenName(): string {
    return `%${++this.#hidden}`
  }

  /** Lowers steps in their own scope: names first set inside are local, and so is `own`. */
  scoped(own: readonly string[], work: () => St[], isTurn: boolean = false): Block {
    const scope: NameScope = { names: own.map((each) => this.name(each)), once: [], isTurn }
    this.#scopes.push(scope)
    const body = work()
    this.#scopes.pop()
    return { k: 'block', body, names: scope.names, once: scope.once }
  }

  /** Lowers a function without captured variables. */
  isolated<T>(work: () => T): T {
    const scopes = this.#scopes
    this.#scopes = []
    const result = work()
    this.#scopes = scopes
    return result
  }

  /** The variable that a JSON program assigns; the first assignment declares it. */
  target(name: string): Var {
    return this.#target(this.name(name))
  }

  /** The same for internal variables. */
  hiddenTarget(): Var {
    return this.#target(this.hiddenName())
  }

  #target(name: string): Var {
    if (!this.#isKnown(name)) this.#scopes.findLast((scope) => !scope.isTurn)?.names.push(name)
    return { k: 'var', name }
  }

  /** The same for a constant. */
  constTarget(name: string): Var {
    this.name(name)
    if (!this.#isKnown(name)) this.#scopes.at(-1)?.once.push(name)
    return { k: 'var', name }
  }

  #isKnown(name: string): boolean {
    return this.#scopes.some((scope) => scope.names.includes(name) || scope.once.includes(name))
  }
}

/** Whether a value is a program, as returned by `toJSON()` of a chain and by `script()`. */
export function isProgramValue(value: object): boolean {
  const { op, steps } = value as { readonly op?: unknown; readonly steps?: unknown }
  return op === 'seq' && Array.isArray(steps) && Object.hasOwn(value, 'op') && Object.hasOwn(value, 'steps')
}

function isPosition(at: unknown): boolean {
  return Array.isArray(at) && at.length === 2 && Number.isInteger(at[0]) && Number.isInteger(at[1])
}

/** A short description of a wrong value in a name position, for messages. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 80) : typeof value
}
