import { MandateError, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { ident, object } from '../../expr/index.ts'
import type { ArgNode, ExprNode } from '../../expr/index.ts'
import type { AnyAtom } from '../atoms/atom.ts'
import { FLOW_NAMES } from '../atoms/set/flow.ts'
import type { AtomMap, Builder, ByOp, Condition, ProgramJson, StepJson, Vars } from './builder-types.ts'
import { conditionOf } from './condition.ts'
import { argument, operand, reference, tagged } from './reference.ts'
import { isSchema, isStandard, jsonSchemaOf } from './schema-source.ts'

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no atoms are known here
type Chain = Builder<Pick<AtomMap, never>>
type Body = (builder: Chain) => unknown

/** The wire format that this builder writes. */
const WIRE_VERSION = 1
/** The name of a caught error. Chains cannot use it themselves. */
const CAUGHT = '%error'
const NAME = /^[A-Za-z_$][\w$]*$/

/** Builds a program step by step. It only writes JSON and does not implement the steps. Each block has its own builder. */
class Writer {
  readonly #atoms: ReadonlyMap<string, AnyAtom>
  readonly #steps: Record<string, Json>[] = []
  #inputSchema: JsonObject | undefined
  #self: Chain | undefined

  constructor(atoms: ReadonlyMap<string, AnyAtom>) {
    this.#atoms = atoms
  }

  /** The writer with a method for every atom. */
  get chain(): Chain {
    return (this.#self ??= new Proxy(this, {
      get: (writer, name) => {
        if (typeof name === 'string' && !(name in writer) && name !== 'then') return writer.#method(name)
        const member: unknown = Reflect.get(writer, name, writer)
        return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(writer) : member
      },
    }) as unknown as Chain)
  }

  get steps(): readonly StepJson[] {
    return this.#steps as unknown as readonly StepJson[]
  }

  take(schema?: unknown): Chain {
    if (this.#steps.length > 0 || this.#inputSchema !== undefined)
      throw new MandateError(
        'INPUT_INVALID',
        'take() says what the whole program takes: call it once, before any step.',
      )
    this.#inputSchema = schema === undefined ? undefined : jsonSchemaOf(schema, 'the program')
    return this.chain
  }

  args(path: string): ArgNode {
    return argument(path)
  }

  val(path: string): ExprNode {
    return reference(path)
  }

  as(name: string, options: { readonly const?: boolean | undefined } = {}): Chain {
    const last = this.#steps.at(-1)
    if (last === undefined)
      throw new MandateError(
        'INPUT_INVALID',
        `as(${JSON.stringify(name)}) names the result of the step before it, and there is none.`,
      )
    last['result'] = named(name, 'as()')
    if (options.const === true) last['resultConst'] = true
    return this.chain
  }

  step(step: object): Chain {
    if (typeof (step as Partial<StepJson> | null)?.op !== 'string')
      throw new MandateError('INPUT_INVALID', 'step() wants a step: { op, ... }.')
    return this.#add(step)
  }

  return(what: unknown): Chain {
    if (isSchema(what) || isStandard(what) || isJsonSchema(what))
      return this.#add({ op: 'return', schema: jsonSchemaOf(what, 'return()') })
    if (typeof what === 'object' && what !== null && 'value' in what)
      return this.#add({ op: 'return', value: what.value })
    throw new MandateError('INPUT_INVALID', 'return() wants a schema that names variables, or { value }.')
  }

  if(...given: [condition: Condition, vars: Vars, then: Body, otherwise?: Body]): Chain {
    const [condition, vars, then, otherwise] = given
    const step = { op: 'if', condition: conditionOf(condition, vars), then: this.#block(then) }
    return this.#add(otherwise === undefined ? step : { ...step, else: this.#block(otherwise) })
  }

  while(condition: Condition, vars: Vars, body: Body): Chain {
    return this.#add({ op: 'while', condition: conditionOf(condition, vars), body: this.#block(body) })
  }

  scope(body: Body): Chain {
    return this.#add({ op: 'scope', steps: this.#block(body) })
  }

  map(items: unknown, as: string, body: Body): Chain {
    return this.#add({ op: 'map', items: operand(items), as: named(as, 'map()'), steps: this.#block(body) })
  }

  filter(items: unknown, as: string, condition: Condition, vars: Vars = {}): Chain {
    return this.#look('filter', [items, as, condition, vars])
  }

  find(items: unknown, as: string, condition: Condition, vars: Vars = {}): Chain {
    return this.#look('find', [items, as, condition, vars])
  }

  reduce(...given: [items: unknown, as: string, accumulator: string, initial: unknown, body: Body]): Chain {
    const [items, as, accumulator, initial, body] = given
    const names = { as: named(as, 'reduce()'), accumulator: named(accumulator, 'reduce()') }
    return this.#add({ op: 'reduce', items: operand(items), ...names, initial, steps: this.#block(body) })
  }

  try(blocks: {
    readonly try: Body
    readonly catch?: Body | undefined
    readonly catchParam?: string | undefined
  }): Chain {
    const step = { op: 'try', try: this.#block(blocks.try) }
    if (blocks.catch === undefined) return this.#add(step)
    // The program format passes a handler a message and a step; here they are combined into one record, for `error.message`.
    const properties = [
      { key: 'message', value: ident(CAUGHT) },
      { key: 'op', value: ident('errorOp') },
    ]
    const told = { op: 'varSet', key: named(blocks.catchParam ?? 'error', 'try()'), value: object(properties) }
    return this.#add({ ...step, catch: [told, ...this.#block(blocks.catch)], catchParam: CAUGHT })
  }

  memoize(body: Body, key?: unknown): Chain {
    return this.#add({ op: 'memoize', ...(key === undefined ? {} : { key }), steps: this.#block(body) })
  }

  cache(body: Body, key?: unknown, ttlMs?: number): Chain {
    const facts = { ...(key === undefined ? {} : { key }), ...(ttlMs === undefined ? {} : { ttlMs }) }
    return this.#add({ op: 'cache', ...facts, steps: this.#block(body) })
  }

  varsImport(keys: unknown): Chain {
    return this.#add({ op: 'varsImport', keys })
  }

  varsExport(keys: unknown): Chain {
    return this.#add({ op: 'varsExport', keys })
  }

  toJSON(): ProgramJson {
    const program = {
      mandate: WIRE_VERSION,
      op: 'seq',
      ...(this.#inputSchema === undefined ? {} : { inputSchema: this.#inputSchema }),
      steps: this.#steps,
    }
    // A copy, so that later changes of the caller and of the chain do not affect each other.
    return toPlain(program).value as unknown as ProgramJson
  }

  #look(op: 'filter' | 'find', given: readonly [items: unknown, as: string, condition: Condition, vars: Vars]): Chain {
    const [items, as, condition, vars] = given
    const name = named(as, `${op}()`)
    return this.#add({ op, items: operand(items), as: name, condition: conditionOf(condition, vars, [name]) })
  }

  #method(op: string): (input?: object) => Chain {
    // Operations without blocks and local names are written unchanged.
    if (FLOW_NAMES.has(op)) return (input = {}) => this.#add({ ...input, op })
    const atom = this.#atoms.get(op)
    if (atom === undefined) {
      const near = [...this.#atoms.keys()].filter(
        (each) => each.slice(0, 4).toLowerCase() === op.slice(0, 4).toLowerCase(),
      )
      throw new MandateError(
        'NOT_FOUND',
        `There is no atom "${op}" here.${near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`} Custom atoms are methods of \`vm.Agent\`.`,
      )
    }
    const fields = (atom.inputSchema['properties'] ?? {}) as Readonly<Record<string, unknown>>
    return (input = {}) =>
      this.#add(
        atom.create(
          Object.fromEntries(Object.entries(input).map(([name, given]) => [name, tagged(given, fields[name] ?? true)])),
        ),
      )
  }

  /** Returns the steps that a block adds to its builder, whether or not it returns that builder. */
  #block(body: Body): readonly StepJson[] {
    if (typeof body !== 'function')
      throw new MandateError('INPUT_INVALID', 'A block is a function that gets a builder: (b) => b.varSet({ … }).')
    const inner = new Writer(this.#atoms)
    const returned = body(inner.chain)
    return (isChain(returned) ? returned : inner).steps
  }

  #add(step: object): Chain {
    const { value, issues } = toPlain(step)
    if (issues.length > 0)
      throw new MandateError(
        'INPUT_INVALID',
        `A step is plain JSON, and this is not: ${issues[0]}. (The step is ${String((step as { op?: unknown }).op)}.)`,
      )
    this.#steps.push(value as Record<string, Json>)
    return this.chain
  }
}

function isChain(value: unknown): value is { readonly steps: readonly StepJson[] } {
  return value instanceof Writer
}

function isJsonSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function named(name: unknown, where: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name
  throw new MandateError('INPUT_INVALID', `${where} wants the name of a variable, not ${JSON.stringify(name)}.`)
}

/** A new chain over these atoms. */
export function newBuilder<M extends AtomMap>(atoms: M): Builder<ByOp<M>> {
  return new Writer(new Map(Object.values(atoms).map((atom) => [atom.op, atom as AnyAtom]))).chain
}
