import { coreAtoms } from '../atoms/registry.ts'
import type { CoreAtoms } from '../atoms/set/core-types.ts'
import { newBuilder } from './builder.ts'
import type { AtomMap, Builder, ByOp } from './builder-types.ts'

/** The entry point of program builders: each method starts a new chain. */
type ProgramEntry = Builder<CoreAtoms> & {
  /** Creates a builder with other atoms. */
  custom<M extends AtomMap>(atoms: M): Builder<ByOp<M>>
}

/**
 * Builds programs over the core atoms. `mandate/compat` calls it `Agent`; `vm.Agent` knows a machine's own atoms too.
 *
 * @example
 * ```ts
 * import { AgentVM, program, s } from 'mandate/vm'
 * const sum = program
 *   .take(s.object({ items: s.array(s.number) }))
 *   .varsImport(['items'])
 *   .reduce('items', 'item', 'total', 0, (b) => b.varSet({ key: 'result', value: { $expr: 'binary', op: '+', left: b.val('total'), right: b.val('item') } }))
 *   .as('total')
 *   .return(s.object({ total: s.number }))
 * const { result } = await new AgentVM().run(sum, { items: [1, 2, 3] }) // { total: 6 }
 * ```
 */
export const program: ProgramEntry = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === 'custom') return newBuilder
      const chain = newBuilder(coreAtoms as unknown as AtomMap) as unknown as Record<PropertyKey, unknown>
      return chain[name]
    },
  },
) as ProgramEntry
