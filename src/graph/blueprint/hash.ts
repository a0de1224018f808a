import { canonical, sha256 } from '../../core/index.ts'
import type { Blueprint } from './blueprint.ts'
import { normalBlueprint } from './normal.ts'

/**
 * The hash of a blueprint's behaviour: equal for graphs that differ only in their origin. A review is bound to it.
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
