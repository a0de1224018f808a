// Loaded first (`node --import`): removes metering from the VM's sources while they are loaded, so that the same closures run without counting fuel or
// memory. Only for measuring the cost of metering.
import { registerHooks } from 'node:module'

const VM = new URL('../../../src/vm/', import.meta.url).href
/** Sources that are not changed: they allot fuel and memory, and are never called without spending. */
const KEPT = /\/(?:machine\/machine(?:-state)?|meter\/stop)\.ts$/
const SPENDING: readonly (readonly [RegExp, string])[] = [
  // `if ((live.fuel -= x) < 0) live.machine.refuel()`, also behind another condition.
  [/^(\s*)if \(.*\(live\.(?:fuel|memory) -= .*\) < 0\) (?:live\.machine\.refuel|outOfMemory)\(\)$/gm, '$1;'],
  [/^(\s*)live\.(?:fuel|memory) -= .*$/gm, '$1;'],
  [/^(\s*)(?:burn|charge|chargeString|chargeList)\(.*\)$/gm, '$1;'],
]

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.startsWith(VM) || KEPT.test(url) || loaded.source === undefined || loaded.source === null) return loaded
    let source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
    for (const [pattern, replacement] of SPENDING) source = source.replace(pattern, replacement)
    return { ...loaded, source }
  },
})
