import type { JsonObject } from '../../core/index.ts'
import { readAll } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { ApprovalRequest, Kernel } from '../../run/index.ts'
import type { RunNews } from './options.ts'

/** Creates the link by which a person decides about one call. */
export type LinkMaker = (request: Pick<ApprovalRequest, 'id' | 'hash' | 'expiresAt'>) => Promise<string>

interface Telling {
  readonly news: RunNews
  readonly at: number
  readonly content: boolean
}

/** Returns the notification about a run that has ended or waits for people; `undefined` for one that waits for a timer or was suspended with its process. */
export async function newsOf(
  kernel: Kernel,
  summary: RunSummary,
  { news, at, content }: Telling,
): Promise<JsonObject | undefined> {
  const { run, sessionId, name, mind } = summary
  const pending =
    news === 'suspended' ? (await kernel.approvals(run)).map((one) => pendingCall(one, content)) : undefined
  if (pending?.length === 0) return undefined
  const end = news === 'suspended' ? {} : await endOf(kernel, run, content)
  const data: JsonObject = {
    run,
    session: sessionId,
    kind: mind,
    name,
    state: news,
    ...(pending === undefined ? {} : { pending }),
    ...end,
  }
  return { type: `run.${news}`, timestamp: new Date(at).toISOString(), data }
}

function pendingCall(request: ApprovalRequest, content: boolean): JsonObject {
  const { id, run, reason, kind, name, text, hash, expiresAt, risk, input } = request
  const more = { ...(risk === undefined ? {} : { risk }), ...(content ? { input } : {}) }
  return { id, run, reason, kind, name, text, hash, expiresAt, ...more }
}

/** Returns how a run ended: always the code of an error, its message and the output only with `content`. */
async function endOf(kernel: Kernel, run: string, content: boolean): Promise<JsonObject> {
  const end = (await readAll(kernel.journal, run)).findLast(({ type }) => type === 'run-end')
  if (end?.type !== 'run-end' || end.data === null) return {}
  const { output, error } = end.data
  const said = content ? { message: error?.message ?? '' } : {}
  return {
    ...(error === undefined ? {} : { error: { code: error.code, ...said } }),
    ...(content && output !== undefined ? { output } : {}),
  }
}
