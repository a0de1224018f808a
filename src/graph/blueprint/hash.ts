import { canonical, sha256 } from '../../core/index.ts'
import type { Blueprint } from './blueprint.ts'
import { normalBlueprint } from './normal.ts'

/**
 * The hash of what a blueprint does: equal for graphs that are equal but for where they come from. A review is bound to it.
 *
 * @example
 * ```ts
 * import { blueprintHash, compileRag } from 'mandate/graph'
 * const { graphs } = compileRag('graph hello { start say node say { prompt "Say hello." next END } }')
 * console.log(graphs.map(blueprintHash))
 * ```
 */
export function blueprintHash(blueprint: Blueprint): string {
  return sha256(canonical(normalBlueprint(blueprint)))
}
