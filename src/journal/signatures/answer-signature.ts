import { canonical, isSignedBy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { isErased } from '../entry.ts'
import type { Entry } from '../entry.ts'
import type { AnswerSignature, ApprovalAnswer } from '../approvals/approval-data.ts'
import type { ApprovalResponseData } from '../entry-data.ts'
import { STANDING_NOTE } from '../approvals/standing-journal.ts'
import type { StandingNote } from '../approvals/standing-journal.ts'
import { keyFor } from './head-signature.ts'
import type { HeadSigner, PublicKeys } from './head-signature.ts'

/** The version of the signed text. */
const VERSION = 1

/** The call that an answer is about: the run, and the hash of the call that was shown. */
interface AnsweredCall {
  readonly run: string
  readonly hash: string
}

/** The signed text of an answer: everything that affects what it permits, and who gave it. The reason (`text`) is left out, because it permits nothing. */
function answerText({ run, hash }: AnsweredCall, data: ApprovalResponseData, keyId: string): string {
  const { request, answer, by, scope, edit, value, standing } = data
  const said = { v: VERSION, keyId, run, hash, request, answer, by, scope, edit, value, standing }
  return `mandate-answer:${canonical(JSON.parse(JSON.stringify(said)) as Json)}`
}

/** Signs an answer for the identity that gave it; `undefined` if the host's signer signs only heads. */
export async function signAnswer(
  signer: HeadSigner,
  call: AnsweredCall,
  data: ApprovalResponseData,
): Promise<AnswerSignature | undefined> {
  if (signer.signText === undefined) return undefined
  const { keyId } = signer
  return { v: VERSION, keyId, signature: await signer.signText(answerText(call, data, keyId)) }
}

/** Whether an answer has a valid signature of a known key. */
export async function isSignedAnswer(
  call: AnsweredCall,
  data: ApprovalResponseData,
  publicKeys: PublicKeys,
): Promise<boolean> {
  const { signature } = data
  if (signature === undefined || signature.v !== VERSION) return false
  const key = keyFor(signature.keyId, publicKeys)
  return key !== undefined && isSignedBy(key, answerText(call, data, signature.keyId), signature.signature)
}

/** Answers that permit nothing need no authority. */
const REFUSING: readonly ApprovalAnswer[] = ['reject', 'expire', 'withdraw']

/** An answer that permits something, with the request it answers. */
interface LiftingAnswer {
  readonly entry: Entry
  readonly data: ApprovalResponseData
  /** The call that was shown; absent if the journal has no such request. */
  readonly call: AnsweredCall | undefined
}

/** The answers of a run that permit something and therefore need authority. */
export function liftingAnswers(entries: Iterable<Entry>): readonly LiftingAnswer[] {
  const requests = new Map<number, AnsweredCall>()
  const found: LiftingAnswer[] = []
  for (const entry of entries) {
    if (isErased(entry)) continue
    if (entry.type === 'approval-request') requests.set(entry.seq, { run: entry.run, hash: entry.data.hash })
    if (entry.type !== 'approval-response') continue
    const { data } = entry
    if (!REFUSING.includes(data.answer)) found.push({ entry, data, call: requests.get(data.request) })
  }
  return found
}

/** The answers of other runs to which a run refers for its calls. */
export function citedAnswers(entries: Iterable<Entry>): readonly LiftingAnswer[] {
  const found: LiftingAnswer[] = []
  for (const entry of entries) {
    if (isErased(entry) || entry.type !== 'note' || entry.key !== undefined) continue
    if (entry.data.name !== STANDING_NOTE) continue
    const { run, hash, response } = entry.data.value as unknown as StandingNote
    found.push({ entry, data: response, call: { run, hash } })
  }
  return found
}

/** Whether the authority of a recorded answer is proven by its own signature. */
export async function isShown({ data, call }: LiftingAnswer, publicKeys: PublicKeys): Promise<boolean> {
  return call !== undefined && isSignedAnswer(call, data, publicKeys)
}
