import type { AnyAtom } from './atoms/atom.ts'
import type { CoreAtoms } from './atoms/set/core-types.ts'
import type { ProgramSource } from './atoms/program-source.ts'
import { atomsWith, describeTools } from './atoms/registry.ts'
import type { ToolDescription } from './atoms/registry.ts'
import type { VmRunOptions } from './atoms/run-options.ts'
import { Runner } from './atoms/runner.ts'
import { newBuilder } from './builder/builder.ts'
import type { AtomMap, Builder, ByOp } from './builder/builder-types.ts'
import type { VmResult } from './machine/result.ts'

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a machine without atoms of its own
type NoAtoms = Pick<AtomMap, never>

/**
 * Runs programs with a set of atoms. It keeps no state of a run: two runs share nothing, and the values of the caller are never changed.
 *
 * @example
 * ```ts
 * import { AgentVM, program, s } from 'mandate/vm'
 * const vm = new AgentVM()
 * const hello = program.take(s.object({ name: s.string }))
 *   .template({ tmpl: 'Hello, {{name}}!', vars: { name: program.args('name') } })
 *   .as('text')
 *   .return(s.object({ text: s.string }))
 * const { result, fuelUsed } = await vm.run(hello, { name: 'Ada' }, { fuel: 100 })
 * ```
 */
export class AgentVM<M extends AtomMap = NoAtoms> {
  readonly atoms: ReadonlyMap<string, AnyAtom>
  readonly #runner: Runner

  constructor(customAtoms?: M) {
    this.atoms = atomsWith(customAtoms as Readonly<Record<string, AnyAtom>> | undefined)
    this.#runner = new Runner(this.atoms)
  }

  /** A new chain over the core atoms and this machine's own. */
  get Agent(): Builder<Omit<CoreAtoms, keyof ByOp<M>> & ByOp<M>> {
    return newBuilder(Object.fromEntries(this.atoms) as AtomMap) as unknown as Builder<
      Omit<CoreAtoms, keyof ByOp<M>> & ByOp<M>
    >
  }

  /** An alias of `Agent`. */
  get builder(): Builder<Omit<CoreAtoms, keyof ByOp<M>> & ByOp<M>> {
    return this.Agent
  }

  /** Returns the atom that implements an operation. */
  resolve(op: string): AnyAtom | undefined {
    return this.atoms.get(op)
  }

  /** Describes operations as tools, for models that write programs: all, `flow` for those of the language, or some by name. */
  getTools(which: 'all' | 'flow' | readonly string[] = 'all'): readonly ToolDescription[] {
    return describeTools(this.atoms, which)
  }

  /** Runs a program to its end. Failures of the program are returned in `error` of the result; only invalid options throw. */
  async run(program: ProgramSource, args: object = {}, options: VmRunOptions = {}): Promise<VmResult> {
    return this.#runner.run(program, args, options)
  }
}
