import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { get } from '../api/client.ts'
import { whileSeen } from '../api/while-seen.ts'
import { hasComeIn, mayHaveMissed } from '../journal/run-store.ts'
import type { InboxPage } from '../api/types.ts'

const PAUSE_MS = 250
/** What can change which requests wait for a person. */
const WAITING = /^(?:approval-|run-)/

/** Keeps the lists of runs and of what waits up to date, by one event stream for the page. */
export function useLiveLists(): 'live' | 'lost' {
  const queries = useQueryClient()
  const [connection, setConnection] = useState<'live' | 'lost'>('live')
  useEffect(() => {
    let timer: number | undefined
    let isInboxOld = false
    const refresh = (type?: string): void => {
      isInboxOld ||= type === undefined || WAITING.test(type)
      timer ??= window.setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: ['runs'] })
        if (isInboxOld) void queries.invalidateQueries({ queryKey: ['inbox'] })
        isInboxOld = false
      }, PAUSE_MS)
    }
    const follow = (): (() => void) => {
      const stream = new EventSource('/api/events')
      stream.addEventListener('open', () => {
        setConnection('live')
        refresh()
        mayHaveMissed()
      })
      stream.addEventListener('error', () => setConnection('lost'))
      stream.addEventListener('message', ({ data }) => {
        const { runId, seq, type } = JSON.parse(String(data)) as {
          readonly runId: string
          readonly seq: number
          readonly type: string
        }
        hasComeIn(runId, seq)
        refresh(type)
      })
      // More happened than the stream can tell: everything that is shown is asked for again.
      stream.addEventListener('gap', () => {
        mayHaveMissed()
        refresh()
      })
      return () => stream.close()
    }
    const leave = whileSeen(follow)
    return () => {
      leave()
      window.clearTimeout(timer)
    }
  }, [queries])
  return connection
}

export function useInbox() {
  return useQuery({
    queryKey: ['inbox'],
    queryFn: ({ signal }) => readInbox(signal),
  })
}

const PAGE = 500
/** So many are listed; where more wait, the page says so. */
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

/** How many wait, as it is written; empty where none does. */
export function waitingText(inbox: InboxPage | undefined): string {
  const { requests, next } = inbox ?? { requests: [] }
  if (requests.length === 0) return ''
  return next === undefined ? String(requests.length) : `${requests.length}+`
}
