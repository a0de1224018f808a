import { systemClock, systemNumber, checkFields } from '../../core/index.ts'
import type { VmResult } from '../machine/result.ts'
import type { AtomSpec } from '../port.ts'
import type { AnyAtom } from './atom.ts'
import { ProcedureStore } from './host/procedure-store.ts'
import { isToken } from './host/procedures.ts'
import { checkOverrides } from './option-checks.ts'
import { readProgram } from './program-source.ts'
import type { ProgramSource } from './program-source.ts'
import { RUN_OPTIONS, readOptions } from './run-options.ts'
import type { ReadOptions, VmRunOptions } from './run-options.ts'
import { Session } from './session.ts'
import { specsOf } from './set/specs.ts'

/** Runs programs over these atoms. Between runs it keeps only stored procedures. */
export class Runner {
  readonly #atoms: ReadonlyMap<string, AnyAtom>
  readonly #specs: ReadonlyMap<string, AtomSpec>
  readonly #shelf = new ProcedureStore()
  /** Whether a cost function reads the context; those of the core do not. */
  readonly #hasOwnCosts: boolean

  constructor(atoms: ReadonlyMap<string, AnyAtom>) {
    this.#atoms = atoms
    this.#specs = specsOf(atoms)
    this.#hasOwnCosts = [...atoms.values()].some(({ cost }) => typeof cost === 'function' && cost.length > 1)
  }

  async run(program: ProgramSource, args: object, options: VmRunOptions): Promise<VmResult> {
    const read = readOptions(options)
    const tools = Object.keys(read.capabilities.tools ?? {})
    checkFields(options, 'an option of a program', RUN_OPTIONS)
    checkOverrides(options, this.#atoms, tools)
    const { clock = systemClock, random = { next: systemNumber } } = options
    const { userId } = read.context
    const owner = options.owner ?? (typeof userId === 'string' ? userId : read)
    const procedures = this.#shelf.of(owner)
    const session = new Session({
      ...{ atoms: this.#atoms, specs: this.#specsFor(options, read), options, read, clock, random, procedures },
      tools,
    })
    const result = await session.run(
      () => (isToken(program) ? procedures.find(program, clock.now()) : readProgram(program, read.limits)),
      args,
      {
        signal: options.signal,
        fuel: read.limits.fuel!,
        depth: 0,
      },
    )
    return session.warnings.length === 0 ? result : { ...result, warnings: [...result.warnings, ...session.warnings] }
  }

  /** The atom specifications; recomputed only for runs with their own costs. */
  #specsFor({ costOverrides }: VmRunOptions, { context }: ReadOptions): ReadonlyMap<string, AtomSpec> {
    return costOverrides === undefined && !this.#hasOwnCosts
      ? this.#specs
      : specsOf(this.#atoms, costOverrides, context)
  }
}
