import { canonical, isSignedBy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { isErased } from '../entry.ts'
import type { Entry } from '../entry.ts'
import type { AnswerSignature, ApprovalAnswer, ApprovalResponseData } from '../entry-data.ts'
import { STANDING_NOTE } from '../standing-journal.ts'
import type { StandingNote } from '../standing-journal.ts'
import { keyFor } from './head-signature.ts'
import type { HeadSigner, PublicKeys } from './head-signature.ts'

/** The version of what is signed. */
const VERSION = 1

/** What an answer speaks of: the run, and the hash of the call that was shown. */
interface AnsweredCall {
  readonly run: string
  readonly hash: string
}

/**
 * What is signed of an answer: everything that decides what may run because of it, and who gave it. The words beside it (`text`) are left out:
 * they decide nothing.
 */
function answerText({ run, hash }: AnsweredCall, data: ApprovalResponseData, keyId: string): string {
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
interface LiftingAnswer {
  readonly entry: Entry
  readonly data: ApprovalResponseData
  /** The call that was shown; absent where the journal has no such request. */
  readonly call: AnsweredCall | undefined
}

/** The answers of a run that let something happen: those whose authority counts. */
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

/** The answers given in other runs under which a run says it made calls. */
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

/** Whether a recorded answer is shown to be whose it says it is, by its own signature. */
export async function isShown({ data, call }: LiftingAnswer, publicKeys: PublicKeys): Promise<boolean> {
  return call !== undefined && isSignedAnswer(call, data, publicKeys)
}
