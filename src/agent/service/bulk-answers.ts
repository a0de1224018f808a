import { MandateError, errorInfo } from '../../core/index.ts'
import type { ErrorInfo } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { AnswerReceipt, ApprovalResponse, Kernel } from '../../run/index.ts'

/**
 * Gives several requests the same answer. Each is checked and recorded by itself: one that is stale or that this identity may not answer does not
 * prevent the others, and is reported at the end.
 */
export async function answerAll(
  kernel: Kernel,
  ids: readonly string[],
  response: ApprovalResponse,
  by: Identity | undefined,
): Promise<AnswerReceipt> {
  if (!Array.isArray(ids))
    throw new MandateError('INPUT_INVALID', 'An approval is named by its id, a text, or several by a list of ids.')
  if (ids.length > 1 && (response.edit !== undefined || response.hash !== undefined))
    throw new MandateError('INPUT_INVALID', 'An `edit` or a `hash` is of one call. Answer the requests one by one.')
  const receipts: AnswerReceipt[] = []
  const refused: (ErrorInfo & { readonly id: string })[] = []
  for (const id of new Set(ids)) {
    try {
      receipts.push(await kernel.respond(id, response, by))
    } catch (error) {
      const { code, message } = errorInfo(error)
      refused.push({ id, code, message })
    }
  }
  const [first] = refused
  if (first === undefined)
    return receipts.find(({ status }) => status === 'recorded') ?? receipts[0] ?? { status: 'already-answered' }
  const rest = `${refused.length} of ${ids.length} answers were refused; the others are recorded.`
  throw new MandateError(first.code, ids.length === 1 ? first.message : `${rest} ${first.id}: ${first.message}`, {
    info: { refused },
  })
}
