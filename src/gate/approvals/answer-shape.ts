import { isRecord, unknownField } from '../../core/index.ts'
import type { ApprovalRequestData } from '../../journal/index.ts'
import { shown } from '../rules/targets.ts'
import { APPROVAL_RESPONSE, FITTING } from './approval-responses.ts'

/** Words for an answer in other libraries. */
const OTHER_WORDS: { readonly [word: string]: string } = {
  true: 'approve',
  approved: 'approve',
  yes: 'approve',
  allow: 'approve',
  accept: 'approve',
  false: 'reject',
  rejected: 'reject',
  deny: 'reject',
  denied: 'reject',
  no: 'reject',
  decline: 'reject',
}

/** Why a value that a host's function returned is no answer to a request, with the shape of one; `undefined` if it is one. */
export function answerShapeProblem(
  given: unknown,
  { reason }: Pick<ApprovalRequestData, 'reason'>,
): string | undefined {
  const fitting: readonly string[] = FITTING[reason]
  const wordOf = (value: unknown): string => {
    const word = String(value).toLowerCase()
    const meant = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word]! : word
    return fitting.includes(meant) ? meant : fitting[0]!
  }
  const form = (value: unknown): string => {
    const answer = wordOf(value)
    return `Return { answer: '${answer}'${answer === 'answer' ? ', value' : ''} }, or undefined to leave the request open.`
  }
  if (!isRecord(given)) return `${shown(given)} is no answer. ${form(given)}`
  const fields = Object.keys(APPROVAL_RESPONSE).filter((field) => field !== 'by')
  const other = Object.keys(given).find((field) => !fields.includes(field))
  const { answer } = given
  if (other !== undefined) {
    const message = unknownField(other, 'a field of an answer', fields)
    const who = other === 'by' ? ' The service answers in its own name.' : ''
    return `${message.endsWith('?') ? message : `${message}.`}${who} ${form(answer ?? given[other])}`
  }
  if (answer === undefined) return `The answer has no \`answer\`. ${form(undefined)}`
  if (!fitting.includes(answer as string))
    return `${shown(answer)} does not answer this request: its \`answer\` is one of ${fitting.join(', ')}. ${form(answer)}`
  return undefined
}
