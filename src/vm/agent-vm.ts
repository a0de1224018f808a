import { MandateError, systemClock, systemRandom, toPlain } from '../core/index.ts'
import type { JsonObject } from '../core/index.ts'
import { alone } from './atoms/alone.ts'
import type { AnyAtom } from './atoms/atom.ts'
import type { CoreAtoms } from './atoms/core-types.ts'
import { ProcedureShelf, isProgram, isToken } from './atoms/procedures.ts'
import { atomsWith, describeTools, specsOf } from './atoms/registry.ts'
import type { ToolDescription } from './atoms/registry.ts'
import { readOptions } from './atoms/run-options.ts'
import type { ReadOptions, VmRunOptions } from './atoms/run-options.ts'
import { Session } from './atoms/session.ts'
import { newBuilder } from './builder/builder.ts'
import type { AtomMap, Builder, ByOp } from './builder/builder-types.ts'
import type { VmResult } from './machine/result.ts'
import type { AtomSpec } from './port.ts'

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a machine without atoms of its own
type NoAtoms = Pick<AtomMap, never>

/** A program as it can be given: JSON, a chain that a builder made, a token of a stored one, or the source of a script. */
export type ProgramSource = string | object

/**
 * Runs programs. It holds the atoms and nothing of any run: two runs share nothing, and what a caller gives is never changed.
 *
 * @example
 * ```ts
 * import { Agent, AgentVM, s } from 'mandate/vm'
 * const vm = new AgentVM()
 * const hello = Agent.take(s.object({ name: s.string }))
 *   .template({ tmpl: 'Hello, {{name}}!', vars: { name: Agent.args('name') } })
 *   .as('text')
 *   .return(s.object({ text: s.string }))
 * const { result, fuelUsed } = await vm.run(hello, { name: 'Ada' }, { fuel: 100 })
 * ```
 */
export class AgentVM<M extends AtomMap = NoAtoms> {
  readonly atoms: ReadonlyMap<string, AnyAtom>
  readonly #specs: ReadonlyMap<string, AtomSpec>
  readonly #shelf = new ProcedureShelf()
  /** No custom atom's cost depends on who asks. */
  readonly #hasFixedCosts: boolean

  constructor(customAtoms?: M) {
    this.atoms = atomsWith(customAtoms as Readonly<Record<string, AnyAtom>> | undefined)
    this.#specs = specsOf(this.atoms)
    this.#hasFixedCosts = Object.values(customAtoms ?? {}).every(({ cost }) => typeof cost === 'number')
  }

  /** A new chain over the core atoms and this machine's own. */
  get Agent(): Builder<Omit<CoreAtoms, keyof ByOp<M>> & ByOp<M>> {
    return newBuilder(Object.fromEntries(this.atoms) as AtomMap) as unknown as Builder<
      Omit<CoreAtoms, keyof ByOp<M>> & ByOp<M>
    >
  }

  /** Another name for `Agent`. */
  get builder(): Builder<Omit<CoreAtoms, keyof ByOp<M>> & ByOp<M>> {
    return this.Agent
  }

  /** The atom behind an operation. */
  resolve(op: string): AnyAtom | undefined {
    return this.atoms.get(op)
  }

  /** Describes operations as tools, for models that write programs: all, `flow` for those of the language, or some by name. */
  getTools(which: 'all' | 'flow' | readonly string[] = 'all'): readonly ToolDescription[] {
    return describeTools(this.atoms, which)
  }

  /** The atoms as the compiler wants them; made anew only where a run has costs of its own. */
  #specsFor({ costOverrides }: VmRunOptions, { context }: ReadOptions): ReadonlyMap<string, AtomSpec> {
    return costOverrides === undefined && this.#hasFixedCosts
      ? this.#specs
      : specsOf(this.atoms, costOverrides, context)
  }

  /**
   * Runs a program to its end. Whatever goes wrong with it is in `error` of the result; only options that make no sense are thrown.
   */
  async run(program: ProgramSource, args: object = {}, options: VmRunOptions = {}): Promise<VmResult> {
    const read = readOptions(options, this.atoms)
    const { clock = systemClock, random = systemRandom } = options
    const { userId } = read.context
    const owner = options.owner ?? (typeof userId === 'string' ? userId : read)
    const procedures = this.#shelf.of(owner)
    const outside = alone({ capabilities: read.capabilities, clock, random })
    const tools = Object.keys(read.capabilities.tools ?? {})
    const session = new Session({
      atoms: this.atoms,
      specs: this.#specsFor(options, read),
      options,
      read,
      clock,
      random,
      procedures,
      tools,
    })
    const result = await session.run(
      async () => (isToken(program) ? procedures.find(program, clock.now()) : readProgram(program)),
      args,
      { outside, signal: options.signal, fuel: read.limits.fuel!, depth: 0 },
    )
    return session.warnings.length === 0 ? result : { ...result, warnings: [...result.warnings, ...session.warnings] }
  }
}

/** The JSON of a program, whichever way it was given. A text is the source of a script. */
export async function readProgram(given: ProgramSource): Promise<JsonObject> {
  if (typeof given === 'string') {
    const { script } = await import('./script/script.ts')
    return script(given) as unknown as JsonObject
  }
  const { value, issues } = toPlain(given)
  if (issues.length > 0)
    throw new MandateError('INPUT_INVALID', `The program is not plain JSON, or too deep: ${issues[0]}.`)
  if (isProgram(value)) return value
  throw new MandateError(
    'INPUT_INVALID',
    'A program is { mandate: 1, op: "seq", steps: [...] }. Build one with `program.take(…)`, or write JSON.',
  )
}
