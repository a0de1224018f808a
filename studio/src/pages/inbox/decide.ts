import { post, runPath } from '../../api/client.ts'
import type { WaitingItem } from '../../api/types.ts'

export type Scope = 'once' | 'run' | 'rule'

export type Answer =
  | { readonly kind: 'approve'; readonly scope: Scope; readonly edit?: unknown; readonly reason?: string }
  | { readonly kind: 'reject'; readonly reason?: string }
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'settle'; readonly outcome: 'happened' | 'not-happened' | 'unknown'; readonly value?: unknown }

/** Records an answer to the call as it was shown, and resumes its run. */
export async function decide(request: WaitingItem, { kind, ...answer }: Answer): Promise<void> {
  const body = kind === 'approve' ? { hash: request.hash, ...answer } : answer
  await post(`/api/approvals/${encodeURIComponent(request.id)}/${kind}`, body)
  await post(runPath(request.run, '/resume')).catch(() => {
    // Another process drives the run, or it waits for another request too. The answer is recorded in either case.
  })
}

export interface Decided {
  readonly id: string
  readonly status: 'recorded' | 'already-answered' | 'refused'
  readonly error?: { readonly code: string; readonly message: string }
}

/** The number of answers in one request to the server. */
const AT_ONCE = 100

/** Gives the same answer to several calls as they were shown, and resumes their runs. Returns what became of each. */
export async function decideAll(
  requests: readonly WaitingItem[],
  answer: 'approve' | 'reject',
  reason: string | undefined,
): Promise<readonly Decided[]> {
  const because = reason === undefined ? {} : { reason }
  const answers = requests.map(({ id, hash }) => ({
    id,
    answer,
    ...(answer === 'approve' ? { hash } : {}),
    ...because,
  }))
  const results: Decided[] = []
  for (let from = 0; from < answers.length; from += AT_ONCE) {
    const part = answers.slice(from, from + AT_ONCE)
    results.push(
      ...(await post<{ results: readonly Decided[] }>('/api/approvals', { answers: part, resume: true })).results,
    )
  }
  return results
}
