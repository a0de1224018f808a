import { useEffect, useState, useSyncExternalStore } from 'react'
import { get, runPath } from '../api/client.ts'
import type { Entry } from '../../../src/journal/entry.ts'
import { runStore } from './run-store.ts'
import type { RunStore } from './run-store.ts'

/** The run of a page, kept up while the page is open. */
export function useRun(runId: string): RunStore {
  const [store, setStore] = useState(() => runStore(runId))
  if (store.runId !== runId) setStore(runStore(runId))
  useSyncExternalStore(store.subscribe, store.version)
  return store
}

/** One entry with everything it says. */
export function useEntry(runId: string, seq: number | undefined): { entry?: Entry; error?: unknown } {
  const [found, setFound] = useState<{ seq: number; entry?: Entry; error?: unknown }>()
  useEffect(() => {
    if (seq === undefined) return
    const stop = new AbortController()
    get<{ entries: readonly Entry[] }>(runPath(runId, '/entries'), { from: seq, limit: 1 }, stop.signal).then(
      ({ entries }) => setFound({ seq, ...(entries[0] === undefined ? {} : { entry: entries[0] }) }),
      (error: unknown) => stop.signal.aborted || setFound({ seq, error }),
    )
    return () => stop.abort()
  }, [runId, seq])
  return found !== undefined && found.seq === seq ? found : {}
}
