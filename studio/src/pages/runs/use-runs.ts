import { useInfiniteQuery } from '@tanstack/react-query'
import { get } from '../../api/client.ts'
import type { RunInfo } from '../../api/types.ts'

interface RunPage {
  readonly runs: readonly RunInfo[]
  readonly next?: string
}

/** What a filter says: `state:failed agent:clerk waiting`, and words that the id or the name must have. */
export interface RunFilter {
  readonly query: {
    readonly state?: string
    readonly agent?: string
    readonly waiting?: boolean
    readonly parent?: string
  }
  readonly words: readonly string[]
}

export function readFilter(text: string | undefined): RunFilter {
  const query: Record<string, string | boolean> = {}
  const words: string[] = []
  for (const part of (text ?? '').split(/\s+/).filter(Boolean)) {
    const [, name, value] = /^(state|status|agent|session|parent):(.+)$/.exec(part) ?? []
    if (name !== undefined) query[name === 'status' ? 'state' : name === 'session' ? 'sessionId' : name] = value!
    else if (part === 'waiting') query['waiting'] = true
    else words.push(part.toLowerCase())
  }
  return { query, words }
}

export function useRuns(filter: string | undefined) {
  const { query } = readFilter(filter)
  return useInfiniteQuery({
    queryKey: ['runs', query],
    queryFn: ({ pageParam, signal }) => get<RunPage>('/api/runs', { ...query, after: pageParam, limit: 100 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  })
}
