import { useEffect, useState, useSyncExternalStore } from 'react'
import { get, isOutage, runPath } from '../api/client.ts'
import { onBack } from '../api/connection.ts'
import type { Entry } from '../../../src/journal/entry.ts'
import { runStore } from './run-store.ts'
import type { RunStore } from './run-store.ts'

/** Returns the store of a run, kept up to date while the component is mounted. */
export function useRun(runId: string): RunStore {
  const [store, setStore] = useState(() => runStore(runId))
  if (store.runId !== runId) setStore(runStore(runId))
  useSyncExternalStore(store.subscribe, store.version)
  return store
}

/** How much of an entry is loaded: all of it, or the first 64 kB of each large value. */
export type Detail = 'whole' | 'preview'

const PREVIEW = 65_536

/** Loads one entry with its content. */
export function useEntry(
  runId: string,
  seq: number | undefined,
  detail: Detail = 'whole',
): { entry?: Entry; error?: unknown } {
  const [found, setFound] = useState<{ place: string; entry?: Entry; error?: unknown }>()
  const [tries, setTries] = useState(0)
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
  }, [runId, seq, detail, place, tries])
  useEffect(() => (isOutage(found?.error) ? onBack(() => setTries((before) => before + 1)) : undefined), [found])
  return found !== undefined && found.place === place ? found : {}
}
