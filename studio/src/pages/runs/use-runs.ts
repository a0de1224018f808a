import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { get } from '../../api/client.ts'
import type { RunInfo } from '../../api/types.ts'

interface RunPage {
  readonly runs: readonly RunInfo[]
  readonly next?: string
}

/** A parsed filter: conditions such as `state:failed agent:clerk waiting`, and words that the run must contain. */
export interface RunFilter {
  readonly query: {
    readonly state?: string
    readonly agent?: string
    readonly waiting?: boolean
    readonly parent?: string
  }
  readonly words: readonly string[]
}

/** Whether a run has all words of a filter in its id, name, input or error. */
export function hasWords({ id, name }: RunInfo, facts: RunFacts | undefined, words: readonly string[]): boolean {
  const { asked = '', failure } = facts ?? {}
  const text = `${id} ${name} ${asked} ${failure?.code ?? ''} ${failure?.message ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
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

export function useRuns(filter: string | undefined, enabled = true) {
  const { query } = readFilter(filter)
  return useInfiniteQuery({
    queryKey: ['runs', query],
    enabled,
    queryFn: ({ pageParam, signal }) => get<RunPage>('/api/runs', { ...query, after: pageParam, limit: 100 }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  })
}

/** The input, cost and denials of a run, as returned by `GET /api/run-facts`. */
export interface RunFacts {
  readonly asked: string
  readonly money: number
  /** How long the run was active; set once it was suspended or has ended. */
  readonly activeMs?: number
  readonly failure?: { readonly code: string; readonly message: string }
  readonly denials: readonly {
    readonly seq: number
    readonly at: number
    readonly name: string
    readonly rule: string
    readonly reason: string
  }[]
}

/** Number of runs per request. */
const FACTS = 100

/** Loads the facts of runs by id, and reloads them when a run has new entries. */
export function useRunFacts(runs: readonly RunInfo[]): Readonly<Record<string, RunFacts>> {
  const parts = Array.from({ length: Math.ceil(runs.length / FACTS) }, (_, part) =>
    runs.slice(part * FACTS, (part + 1) * FACTS),
  )
  const found = useQueries({
    queries: parts.map((part) => ({
      queryKey: ['run-facts', part.map(({ id, entries }) => `${id} ${entries}`)],
      // Keeps the previous data during a reload, so that amounts do not flicker.
      placeholderData: (earlier: FactsAnswer | undefined) => earlier,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        get<FactsAnswer>('/api/run-facts', { runs: part.map(({ id }) => id) }, signal),
    })),
  })
  return Object.assign({}, ...found.map(({ data }) => data?.facts)) as Readonly<Record<string, RunFacts>>
}

interface FactsAnswer {
  readonly facts: Readonly<Record<string, RunFacts>>
}
