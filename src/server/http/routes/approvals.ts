import { MandateError, errorInfo } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { Call, JsonSchema, Route } from '../route.ts'
import { plain } from './run-schemas.ts'
import { anything, flag, list, object, oneOf, openObject, text } from './schemas.ts'

const request: JsonSchema = openObject({
  id: text,
  run: text,
  key: text,
  reason: oneOf('approval', 'question', 'in-doubt'),
  kind: text,
  name: text,
  input: anything,
  hash: text,
  text,
  at: { type: 'number' },
})
const receipt = object({ id: text, status: oneOf('recorded', 'already-answered') })
const standing = openObject({ id: text })
/** The most answers in one request. */
const ANSWERS_MAX = 200
const approval: JsonSchema = object({ id: text, answer: oneOf('approve'), hash: text, 'reason?': text })
const rejection: JsonSchema = object({ id: text, answer: oneOf('reject'), 'reason?': text })
const result: JsonSchema = object({
  id: text,
  status: oneOf('recorded', 'already-answered', 'refused'),
  'error?': openObject({ code: text, message: text }),
})

/** Routes for approvals and questions. The hash of an approval binds it to the call that was shown: an answer to another call is refused. */
export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/approvals',
    summary: 'What waits for a person, as far as the caller may answer or read it; what waits longest first.',
    tag: 'approvals',
    access: 'identity',
    query: object({ 'run?': text, 'limit?': { type: 'integer', minimum: 1, maximum: 500 }, 'after?': text }),
    answer: {
      status: 200,
      schema: object({
        requests: list(request),
        unreadable: list(object({ run: text, problem: text })),
        'next?': text,
      }),
    },
    handle: async ({ service, query }) => plain(await service.inbox({ limit: PAGE, ...query })),
  },
  {
    method: 'GET',
    path: '/api/approvals/{approvalId}',
    summary: 'One request, answered or not.',
    tag: 'approvals',
    access: 'identity',
    answer: { status: 200, schema: request },
    async handle({ service, params }) {
      const found = await service.approval(params['approvalId']!)
      if (found === undefined) throw new MandateError('NOT_FOUND', 'There is no such request that you may see.')
      return plain(found)
    },
  },
  {
    method: 'POST',
    path: '/api/approvals',
    summary:
      'Answers many calls at once, each by itself: one that is refused does not keep the others. With `resume` their runs go on.',
    tag: 'approvals',
    access: 'identity',
    permission: 'approve',
    body: object({
      answers: { type: 'array', items: { anyOf: [approval, rejection] }, minItems: 1, maxItems: ANSWERS_MAX },
      'resume?': flag,
    }),
    answer: { status: 200, schema: object({ results: list(result) }) },
    handle: answerAll,
  },
  answering({
    what: 'approve',
    summary:
      'Approves a call as it was shown: `hash` is that of the request. `edit` is the input that shall run instead.',
    body: object({
      hash: text,
      'scope?': oneOf('once', 'run', 'rule'),
      'standing?': openObject({}),
      'edit?': anything,
      'reason?': text,
    }),
    answer: ({ service }, id, body) => service.approve(id, body),
  }),
  answering({
    what: 'reject',
    summary: 'Rejects a call or a question.',
    body: object({ 'reason?': text }),
    answer: ({ service }, id, { reason }) => service.reject(id, reason as string | undefined),
  }),
  answering({
    what: 'answer',
    summary: 'Answers a question.',
    body: object({ value: anything }),
    answer: ({ service }, id, { value }) => service.answer(id, value!),
  }),
  answering({
    what: 'settle',
    summary: 'Says what became of a call that was in flight when a process ended.',
    body: object({ outcome: oneOf('happened', 'not-happened', 'unknown'), 'value?': anything }),
    answer: ({ service }, id, { outcome, value }) => service.settle(id, outcome as 'happened', value),
  }),
  {
    method: 'GET',
    path: '/api/standing-approvals',
    summary: 'The approvals with the scope `rule` that are in force; with `all`, also those that have ended.',
    tag: 'approvals',
    access: 'identity',
    permission: ['approve', 'read-journal'],
    query: object({ 'all?': flag }),
    answer: { status: 200, schema: object({ approvals: list(standing) }) },
    handle: async ({ service, query }) => plain({ approvals: await service.standingApprovals(query) }),
  },
  {
    method: 'POST',
    path: '/api/standing-approvals/{approvalId}/revoke',
    summary: 'Ends an approval with the scope `rule`, from the next call on.',
    tag: 'approvals',
    access: 'identity',
    permission: 'approve',
    body: object({ 'reason?': text }),
    answer: { status: 200, schema: object({ id: text }) },
    async handle({ service, params, body }) {
      await service.revoke(params['approvalId']!, (body as { readonly reason?: string }).reason)
      return { id: params['approvalId']! }
    },
  },
]

const PAGE = 100

interface Given {
  readonly id: string
  readonly answer: 'approve' | 'reject'
  readonly hash?: string
  readonly reason?: string
}

/** Records many answers, one after another, because requests of one run are answered in its journal. */
async function answerAll(call: Call): Promise<Json> {
  const { service } = call
  const { answers, resume = false } = call.body as unknown as { answers: readonly Given[]; resume?: boolean }
  if (resume) service.check('run-agent')
  const results: JsonObject[] = []
  const runs = new Set<string>()
  for (const { id, answer, reason, hash } of answers)
    try {
      const because = reason === undefined ? {} : { reason }
      const given = answer === 'approve' ? service.approve(id, { hash: hash!, ...because }) : service.reject(id, reason)
      results.push({ id, status: (await given).status })
      runs.add((await service.approval(id))!.run)
    } catch (error) {
      // As in every response, the texts of other errors are not sent.
      const isTold = MandateError.isInstance(error)
      const { code, message } = isTold ? errorInfo(error) : { code: 'INTERNAL', message: 'The server failed at it.' }
      results.push({ id, status: 'refused', error: { code, message } })
    }
  if (resume) for (const run of runs) goOn(call, run)
  return { results }
}

/** Lets a run go on. One that waits for another answer too, or that another process drives, is left to that. */
function goOn(call: Call, id: string): void {
  const run = call.service.resume(id)
  call.drives(run)
  run.catch(() => undefined)
}

interface Answering {
  readonly what: string
  readonly summary: string
  readonly body: JsonSchema
  readonly answer: (call: Call, id: string, body: JsonObject) => Promise<{ readonly status: string }>
}

function answering({ what, summary, body, answer }: Answering): Route {
  return {
    method: 'POST',
    path: `/api/approvals/{approvalId}/${what}`,
    summary,
    tag: 'approvals',
    access: 'identity',
    permission: 'approve',
    body,
    answer: { status: 200, schema: receipt },
    async handle(call): Promise<Json> {
      const id = call.params['approvalId']!
      const { status } = await answer(call, id, call.body as JsonObject)
      return { id, status }
    },
  }
}
