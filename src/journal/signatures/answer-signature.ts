import { canonical, isSignedBy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { isErased } from '../entry.ts'
import type { Entry } from '../entry.ts'
import type { AnswerSignature, ApprovalAnswer, ApprovalRequestData, ApprovalResponseData } from '../entry-data.ts'
import { keyFor } from './head-signature.ts'
import type { HeadSigner, PublicKeys } from './head-signature.ts'

/** The version of what is signed. */
const VERSION = 1

/** What an answer speaks of: the run, and the hash of the call that was shown. */
export interface AnsweredCall {
  readonly run: string
  readonly hash: string
}

/**
 * What is signed of an answer: everything that decides what may run because of it, and who gave it. The words beside it (`text`) are left out:
 * they decide nothing.
 */
export function answerText({ run, hash }: AnsweredCall, data: ApprovalResponseData, keyId: string): string {
  const { request, answer, by, scope, edit, value, standing } = data
  const said = { v: VERSION, keyId, run, hash, request, answer, by, scope, edit, value, standing }
  return `mandate-answer:${canonical(JSON.parse(JSON.stringify(said)) as Json)}`
}

/** Signs an answer on behalf of the identity that gave it; `undefined` where the host's signer signs only heads. */
export async function signAnswer(
  signer: HeadSigner,
  call: AnsweredCall,
  data: ApprovalResponseData,
): Promise<AnswerSignature | undefined> {
  if (signer.signText === undefined) return undefined
  const { keyId } = signer
  return { v: VERSION, keyId, signature: await signer.signText(answerText(call, data, keyId)) }
}

/** Whether an answer carries a signature of a known key over exactly what it says. */
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

/** An answer that lets something happen, with the request it answers. */
export interface LiftingAnswer {
  readonly entry: Entry
  readonly data: ApprovalResponseData
  readonly request: ApprovalRequestData | undefined
}

/** The answers of a run that let something happen: those whose authority counts. */
export function liftingAnswers(entries: Iterable<Entry>): readonly LiftingAnswer[] {
  const requests = new Map<number, ApprovalRequestData>()
  const found: LiftingAnswer[] = []
  for (const entry of entries) {
    if (isErased(entry)) continue
    if (entry.type === 'approval-request') requests.set(entry.seq, entry.data)
    if (entry.type !== 'approval-response') continue
    const { data } = entry
    if (!REFUSING.includes(data.answer)) found.push({ entry, data, request: requests.get(data.request) })
  }
  return found
}

/** Whether a recorded answer is shown to be whose it says it is, by its own signature. */
export async function isShown({ entry, data, request }: LiftingAnswer, publicKeys: PublicKeys): Promise<boolean> {
  return request !== undefined && isSignedAnswer({ run: entry.run, hash: request.hash }, data, publicKeys)
}
