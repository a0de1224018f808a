import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { get } from '../api/client.ts'
import type { InboxPage } from '../api/types.ts'

const PAUSE_MS = 250

/** Keeps the lists of runs and of what waits up to date, by one event stream for the page. */
export function useLiveLists(): 'live' | 'lost' {
  const queries = useQueryClient()
  const [connection, setConnection] = useState<'live' | 'lost'>('live')
  useEffect(() => {
    let timer: number | undefined
    const refresh = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined
        if (document.hidden) return
        void queries.invalidateQueries({ queryKey: ['runs'] })
        void queries.invalidateQueries({ queryKey: ['inbox'] })
      }, PAUSE_MS)
    }
    const stream = new EventSource('/api/events')
    stream.addEventListener('open', () => {
      setConnection('live')
      refresh()
    })
    stream.addEventListener('error', () => setConnection('lost'))
    for (const type of [
      'message',
      'run-start',
      'run-suspend',
      'run-resume',
      'run-end',
      'approval-request',
      'approval-response',
      'entry',
    ])
      stream.addEventListener(type, refresh)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      stream.close()
      document.removeEventListener('visibilitychange', refresh)
      window.clearTimeout(timer)
    }
  }, [queries])
  return connection
}

export function useInbox() {
  return useQuery({
    queryKey: ['inbox'],
    queryFn: ({ signal }) => get<InboxPage>('/api/approvals', {}, signal),
  })
}

export function useWaiting(): number {
  return useInbox().data?.requests.length ?? 0
}
