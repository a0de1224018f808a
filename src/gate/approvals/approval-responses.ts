import { canonical, checkId, isRecord } from '../../core/index.ts'
import type { Json, FieldNames } from '../../core/index.ts'
import type {
  AnswerSignature,
  ApprovalAnswer,
  ApprovalRecord,
  ApprovalRequestData,
  ApprovalResponseData,
  Identity,
  StandingApproval,
} from '../../journal/index.ts'
import { may } from '../guards/role.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { riskRank } from '../risk/risk.ts'
import { RULE_APPROVAL_MAX_MS, standingFor } from './standing-approvals.ts'
import { answerProblem } from './question-answers.ts'
import type { StandingWish } from './standing-approvals.ts'
import { shown } from '../rules/targets.ts'

/** An answer to a request for approval, a question, or a call in doubt. */
export interface ApprovalResponse {
  readonly answer: ApprovalAnswer
  readonly by: Identity
  /**
   * The reach of an approval: this call (`once`), the tool until the run ends (`run`), or everything that the same rules ask about the same tool, in
   * every run of this service, for at most 30 days (`rule`).
   */
  readonly scope?: 'once' | 'run' | 'rule' | undefined
  /** An input that replaces the requested one; the gate judges it again. */
  readonly edit?: Json | undefined
  /** The answer to a question, or the result of a call that has happened. */
  readonly value?: Json | undefined
  /** The reason, as text. */
  readonly text?: string | undefined
  /** The hash of the call that was shown to the approver: an answer to another call is refused. */
  readonly hash?: string | undefined
  /** Narrows what `run` and `rule` cover. */
  readonly standing?: StandingWish | undefined
  /** The signature of the host that received the answer, over the journaled data. */
  readonly signature?: AnswerSignature | undefined
}

export const APPROVAL_RESPONSE: FieldNames<ApprovalResponse> = {
  answer: 'text',
  by: true,
  scope: 'text',
  edit: true,
  value: true,
  text: 'text',
  hash: 'text',
  standing: 'object',
  signature: 'object',
}

export type ResponseCheck =
  | { readonly ok: true; readonly data: ApprovalResponseData }
  | { readonly ok: false; readonly code: ResponseProblem; readonly message: string }

type ResponseProblem = 'APPROVAL_STALE' | 'APPROVAL_REFUSED' | 'NOT_FOUND' | 'INPUT_INVALID'

/** The answers that fit each reason. `expire` is in none of them: only the kernel gives it. */
export const FITTING: { readonly [R in ApprovalRequestData['reason']]: readonly ApprovalAnswer[] } = {
  approval: ['approve', 'reject'],
  question: ['answer', 'reject'],
  'in-doubt': ['happened', 'not-happened', 'unknown', 'reject'],
}

const SCOPES: readonly unknown[] = ['once', 'run', 'rule']

/** The id of an approval. It encodes run and entry, so no lookup is needed. */
export function approvalId(run: string, seq: number): string {
  return `${run}-ap${seq}`
}

/** The run and the entry behind an approval id; `undefined` for anything else. */
export function parseApprovalId(id: string): { readonly run: string; readonly seq: number } | undefined {
  const [, run, digits] = /^(.{1,128})-ap([1-9]\d{0,14})$/.exec(id) ?? []
  if (run === undefined || digits === undefined) return undefined
  try {
    return { run: checkId(run, 'The run id'), seq: Number(digits) }
  } catch {
    return undefined
  }
}

/**
 * Whether an answer is valid for a request, and the data to journal if it is. Refused are a second answer, a late one, one for another call, one
 * without the permission to approve, and one by an agent. Of several mandates, nearest first and the host's last, all must give the permission.
 */
export function checkResponse(
  record: ApprovalRecord | undefined,
  response: ApprovalResponse,
  mandate: Mandate | readonly Mandate[],
  now: number,
): ResponseCheck {
  if (record === undefined)
    return refuse('NOT_FOUND', 'There is no such request: it was never made, or belongs to another run.')
  const problem =
    checkAuthority(response.by, mandate) ??
    checkOwn(record, response, mandate) ??
    checkFresh(record, response, now) ??
    checkForm(record.data, response, now)
  return problem ?? { ok: true, data: accepted(record, response, now) }
}

type Refusal = Extract<ResponseCheck, { readonly ok: false }>

function refuse(code: ResponseProblem, message: string): Refusal {
  return { ok: false, code, message }
}

function checkAuthority(by: Identity, mandate: Mandate | readonly Mandate[]): Refusal | undefined {
  if (may(by, 'approve', mandate)) return undefined
  const why =
    by.agent === true
      ? 'An agent can never answer for a person.'
      : 'Give one of its roles "approve" under `roles` of the mandate, or let someone else answer.'
  return refuse('APPROVAL_REFUSED', `${shown(by.id)} may not approve. ${why}`)
}

/** Where a mandate sets `selfApproval: false`, an identity may not approve its own request; it may still reject it. */
function checkOwn(
  { startedBy }: ApprovalRecord,
  { answer, by }: ApprovalResponse,
  mandate: Mandate | readonly Mandate[],
): Refusal | undefined {
  if (answer !== 'approve' || startedBy !== by.id) return undefined
  if (![mandate].flat().some(({ selfApproval }) => selfApproval === false)) return undefined
  return refuse(
    'APPROVAL_REFUSED',
    `${shown(by.id)} started this run and may not approve in it (\`selfApproval: false\`). Let someone else answer.`,
  )
}

function checkFresh({ data, response }: ApprovalRecord, { hash }: ApprovalResponse, now: number): Refusal | undefined {
  if (response !== undefined) {
    return refuse('APPROVAL_STALE', `This was already answered with "${response.answer}" by ${shown(response.by.id)}.`)
  }
  if (now >= data.expiresAt) return refuse('APPROVAL_STALE', 'This request has expired. Let the run ask again.')
  if (hash !== undefined && hash !== data.hash) {
    return refuse('APPROVAL_STALE', 'The answer is for another call than the waiting one. Look at the request again.')
  }
  return undefined
}

/** Validates the shape of an answer, which may come from the network. */
function checkForm(request: ApprovalRequestData, response: ApprovalResponse, now: number): Refusal | undefined {
  const invalid = (message: string): Refusal => refuse('INPUT_INVALID', message)
  const { answer, scope, edit, value, text, standing } = response
  const fitting = FITTING[request.reason]
  if (!fitting.includes(answer))
    return invalid(`"${answer}" does not answer this request. Use one of: ${fitting.join(', ')}.`)
  const isApproval = answer === 'approve'
  if (scope !== undefined && !SCOPES.includes(scope)) return invalid(`\`scope\` must be one of: ${SCOPES.join(', ')}.`)
  if (!isApproval && (edit !== undefined || standing !== undefined || (scope ?? 'once') !== 'once')) {
    return invalid(`\`edit\`, \`scope\` and \`standing\` go with "approve", not with "${answer}".`)
  }
  if (scope === 'rule' && request.binding === undefined) return invalid(NO_RULE)
  if (text !== undefined && typeof text !== 'string') return invalid('`text` must be a text.')
  if (value !== undefined && answer !== 'answer' && answer !== 'happened')
    return invalid(`\`value\` goes with "answer" or "happened", not with "${answer}".`)
  if (answer === 'answer' && value === undefined && text === undefined)
    return invalid('An answer needs a `value` or a `text`.')
  if (!isPlain(edit)) return invalid('`edit` must be plain JSON data.')
  if (!isPlain(value)) return invalid('`value` must be plain JSON data.')
  const unfit = answer === 'answer' ? answerProblem(request.input, value ?? text ?? null) : undefined
  if (unfit !== undefined) return invalid(unfit)
  const wrong = standing === undefined ? undefined : checkWish(standing, { scope, request, now })
  return wrong === undefined ? undefined : invalid(wrong)
}

const NO_RULE =
  'This request cannot be answered with the scope "rule": it is about one call or one run alone, or was put by a fork, an imported run or an older version. Use "once" or "run".'

interface WishContext {
  readonly scope: ApprovalResponse['scope']
  readonly request: ApprovalRequestData
  readonly now: number
}

function checkWish(wish: StandingWish, { scope, request, now }: WishContext): string | undefined {
  if (scope !== 'run' && scope !== 'rule') return '`standing` needs the scope "run" or "rule".'
  if (typeof wish !== 'object' || wish === null) return '`standing` must be an object.'
  const { input, riskMax, expiresAt } = wish
  const isObject = input === undefined || isRecord(input)
  if (!isObject || !isPlain(input)) return '`standing.input` must be an object of members and their values.'
  if (riskMax !== undefined && !(riskRank(riskMax) <= riskRank(request.risk ?? 'read'))) {
    return `\`standing.riskMax\` must be a risk no higher than "${request.risk ?? 'read'}", that of the approved call.`
  }
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > now))
    return '`standing.expiresAt` must be a moment in the future, in milliseconds.'
  if (scope === 'rule' && expiresAt !== undefined && expiresAt > now + RULE_APPROVAL_MAX_MS)
    return '`standing.expiresAt` must be within 30 days where the scope is "rule".'
  return undefined
}

function accepted(record: ApprovalRecord, response: ApprovalResponse, now: number): ApprovalResponseData {
  const { answer, by, scope, edit, value, text, signature } = response
  const standing: StandingApproval | undefined =
    answer === 'approve' ? standingFor(record.data, response, now) : undefined
  const data = {
    request: record.seq,
    answer,
    by: { id: by.id, roles: by.roles, agent: by.agent },
    scope,
    edit,
    value,
    text,
    standing,
    signature,
  }
  // Copied because the caller still holds the parts; undefined members are dropped.
  return JSON.parse(JSON.stringify(data)) as ApprovalResponseData
}

function isPlain(value: unknown): boolean {
  if (value === undefined) return true
  try {
    canonical(value)
    return true
  } catch {
    return false
  }
}
