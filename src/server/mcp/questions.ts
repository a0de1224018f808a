import type { ServiceAs } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { answerSchema } from '../../gate/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import { protocol } from './protocol.ts'
import type { InputRequest } from './protocol.ts'

/** Returns the open requests of a run and its children, by the id to answer them by. */
export async function openQuestions(service: ServiceAs, runId: string): Promise<ReadonlyMap<string, ApprovalRequest>> {
  const open = await service.approvals(runId)
  return new Map(open.map((request) => [request.id, request]))
}

/** Returns the form for a request: for an approval the call and a decision, for a question its own fields. */
export function formOf(request: ApprovalRequest): InputRequest {
  const { id, kind, name, input, reason, text } = request
  if (reason === 'question') {
    return protocol.inputRequired.elicit({ message: text, requestedSchema: formSchema(input) as never })
  }
  const shown = JSON.stringify(input, null, 2)
  const call = isWhole(request)
    ? shown
    : `${shown.slice(0, SHOWN)}\n\n[Cut: ${SHOWN} of ${shown.length} characters are shown, so this form can only reject the call. ` +
      `See all of it with \`mandate inbox --json\` and approve it with \`mandate approve ${id}\`.]`
  return protocol.inputRequired.elicit({
    message: `${text}\n\n${kind} ${name}\n${call}${isWhole(request) ? ruleOffer(request) : ''}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: decisionsOf(request) },
        reason: { type: 'string', title: 'Reason', description: 'Why it is refused; the agent is told.' },
      },
      required: ['decision'],
    },
  })
}

/** Returns the decisions that a form offers. */
function decisionsOf(request: ApprovalRequest): string[] {
  if (!isWhole(request)) return ['reject']
  return request.binding === undefined ? ['approve', 'reject'] : ['approve', BY_RULE, 'reject']
}

/** The decision that approves more than the call; the form describes what it covers. */
const BY_RULE = 'approve-rule'

function ruleOffer({ name, binding }: ApprovalRequest): string {
  if (binding === undefined) return ''
  const rules = binding.rules.map((rule) => rule.replace(/^\d+:/u, '')).join(', ')
  return (
    `\n\n"${BY_RULE}" approves this call and, for 30 days and in all runs of ${binding.mind}, every call of ${name} up to this risk that ` +
    `the same rules ask about (${rules}). \`mandate approvals\` lists and \`mandate revoke\` ends it.`
  )
}

/** The maximum number of characters of a call that a form shows. */
const SHOWN = 4_000

/** Returns whether a form shows the whole call. Only then can it approve the call, because an approval covers exactly what was shown. */
function isWhole({ input }: ApprovalRequest): boolean {
  return JSON.stringify(input, null, 2).length <= SHOWN
}

/** Returns the form schema of a question. Forms have fields, so an answer that is not an object becomes the single field `answer`. */
function formSchema(question: Json): JsonObject {
  const schema = answerSchema(question)
  if (schema?.['type'] === 'object') return schema
  const answer = { title: 'Answer', ...(schema ?? { type: 'string' }) }
  return { type: 'object', properties: { answer }, required: ['answer'] }
}

interface FormAnswer {
  readonly action?: unknown
  readonly content?: { readonly [field: string]: Json } | undefined
}

/** Applies the answer of the user. Returns whether it decided anything; closing the form decides nothing. */
export async function takeAnswer(service: ServiceAs, request: ApprovalRequest, given: unknown): Promise<boolean> {
  const { action, content = {} } = (typeof given === 'object' && given !== null ? given : {}) as FormAnswer
  if (action === 'decline') {
    await service.reject(request.id, 'declined by the person behind the MCP client')
    return true
  }
  if (action !== 'accept') return false
  if (request.reason === 'question') {
    const isObject = answerSchema(request.input)?.['type'] === 'object'
    await service.answer(request.id, isObject ? content : (content['answer'] ?? ''))
    return true
  }
  const { decision } = content
  if (decision === 'approve' || decision === BY_RULE) {
    if (!isWhole(request))
      throw new MandateError(
        'INPUT_INVALID',
        `The form could not show the whole call, so it cannot approve it. See all of it with \`mandate inbox --json\`, then run \`mandate approve ${request.id}\`.`,
      )
    // Bound to the hash of the call that was shown: a call that has changed since must be approved again.
    const reach = decision === BY_RULE ? ({ scope: 'rule' } as const) : {}
    await service.approve(request.id, { hash: request.hash, ...reach })
    return true
  }
  if (decision !== 'reject')
    throw new MandateError('INPUT_INVALID', `The form needs \`decision\`: one of ${decisionsOf(request).join(', ')}.`)
  const why = content['reason']
  await service.reject(request.id, typeof why === 'string' && why !== '' ? why : undefined)
  return true
}
