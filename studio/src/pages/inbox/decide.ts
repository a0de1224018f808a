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
