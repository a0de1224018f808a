import { flushCompileCache, registerHooks } from 'node:module'
import { changeOf } from './source-changes.ts'

const FLUSH_MS = 10_000
const KEPT = Symbol.for('mandate.test.source-hooks')
const kept = globalThis as { [KEPT]?: { flushedAt: number } }

// Files of tests that share a process have their sources loaded by Node itself, which Vite's plugins do not see. This file is loaded
// before each of them; the hook is set once.
if (kept[KEPT] === undefined) {
  kept[KEPT] = { flushedAt: Date.now() }
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const change = changeOf(url)
      const { source } = loaded
      if (change === undefined || source === undefined || source === null) return loaded
      return {
        ...loaded,
        source: change(typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()),
      }
    },
  })
} else if (Date.now() - kept[KEPT].flushedAt > FLUSH_MS) {
  // Node writes what it compiled when a process ends, but the test runner ends its processes by a signal.
  kept[KEPT].flushedAt = Date.now()
  flushCompileCache()
}
