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

/** What is asked for of one entry: all of it, or large values by their beginnings, 64 kB of each. */
export type Detail = 'whole' | 'preview'

const PREVIEW = 65_536

/** One entry with what it says. */
export function useEntry(
  runId: string,
  seq: number | undefined,
  detail: Detail = 'whole',
): { entry?: Entry; error?: unknown } {
  const [found, setFound] = useState<{ place: string; entry?: Entry; error?: unknown }>()
  const place = `${runId} ${seq} ${detail}`
  useEffect(() => {
    if (seq === undefined) return
    const stop = new AbortController()
    const path = runPath(runId, detail === 'whole' ? '/entries' : '/outline')
    const query = { from: seq, limit: 1, ...(detail === 'whole' ? {} : { text: PREVIEW }) }
    get<{ entries: readonly Entry[] }>(path, query, stop.signal).then(
      ({ entries }) => setFound({ place, ...(entries[0] === undefined ? {} : { entry: entries[0] }) }),
      (error: unknown) => stop.signal.aborted || setFound({ place, error }),
    )
    return () => stop.abort()
  }, [runId, seq, detail, place])
  return found !== undefined && found.place === place ? found : {}
}
