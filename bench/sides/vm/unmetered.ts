// Loaded before all else (`node --import`), takes the meter out of the VM's sources while they are read: the same closures
// without counting fuel or memory. For measuring what counting costs, and for nothing else.
import { registerHooks } from 'node:module'

const VM = new URL('../../../src/vm/', import.meta.url).href
/** The parts that hand out fuel and memory stay; without spending, they are never asked. */
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
