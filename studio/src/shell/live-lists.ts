import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { get } from '../api/client.ts'
import { hasLost, isConnected, isOpen, onBack, watchConnection } from '../api/connection.ts'
import { PLACE } from '../api/place.ts'
import { whileSeen } from '../api/while-seen.ts'
import { hasComeIn, mayHaveMissed } from '../journal/run-store.ts'
import type { InboxPage } from '../api/types.ts'

const PAUSE_MS = 250
/** Events that can change the list of open requests. */
const WAITING = /^(?:approval-|run-)/

/** Keeps the lists of runs and open requests up to date with one event stream per page. */
export function useLiveLists(): 'live' | 'lost' {
  const queries = useQueryClient()
  useEffect(() => {
    let timer: number | undefined
    let isInboxOld = false
    const refresh = (type?: string): void => {
      isInboxOld ||= type === undefined || WAITING.test(type)
      timer ??= window.setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: ['runs'] })
        if (isInboxOld) {
          void queries.invalidateQueries({ queryKey: ['inbox'] })
          void queries.invalidateQueries({ queryKey: ['conversation'] })
        }
        isInboxOld = false
      }, PAUSE_MS)
    }
    const follow = (): (() => void) => {
      let stream = followed()
      const leave = onBack(() => {
        if (stream.readyState === EventSource.CLOSED) stream = followed()
        // What was asked for meanwhile has failed.
        void queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
      })
      return () => {
        leave()
        stream.close()
      }
    }
    const followed = (): EventSource => {
      const stream = new EventSource(`${PLACE}/api/events`)
      stream.addEventListener('open', () => {
        isOpen()
        refresh()
        mayHaveMissed()
      })
      stream.addEventListener('error', () => {
        stream.close()
        hasLost()
      })
      stream.addEventListener('message', ({ data }) => {
        const { runId, seq, type } = JSON.parse(String(data)) as {
          readonly runId: string
          readonly seq: number
          readonly type: string
        }
        hasComeIn(runId, seq)
        refresh(type)
      })
      // The stream has lost events: everything shown is loaded again.
      stream.addEventListener('gap', () => {
        mayHaveMissed()
        refresh()
      })
      return stream
    }
    const leave = whileSeen(follow)
    return () => {
      leave()
      window.clearTimeout(timer)
    }
  }, [queries])
  return useSyncExternalStore(watchConnection, isConnected) ? 'live' : 'lost'
}

export function useInbox() {
  return useQuery({
    queryKey: ['inbox'],
    queryFn: ({ signal }) => readInbox(signal),
  })
}

const PAGE = 500
/** Maximum number of listed requests; the page shows whether there are more. */
const LISTED = 1_000

async function readInbox(signal: AbortSignal): Promise<InboxPage> {
  const pages: InboxPage[] = []
  for (let after: string | undefined, listed = 0; listed < LISTED;) {
    const page = await get<InboxPage>('/api/approvals', { limit: PAGE, after }, signal)
    pages.push(page)
    listed += page.requests.length
    if (page.next === undefined) break
    after = page.next
  }
  const next = pages.at(-1)?.next
  return {
    requests: pages.flatMap(({ requests }) => requests),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
    ...(next === undefined ? {} : { next }),
  }
}

/** Formats the number of open requests; empty if there are none. */
export function waitingText(inbox: InboxPage | undefined): string {
  const { requests, next } = inbox ?? { requests: [] }
  if (requests.length === 0) return ''
  return next === undefined ? String(requests.length) : `${requests.length}+`
}
