import type { RunEventBus } from '../../journal/index.ts'
import { MandateError, errorInfo, tellOfHost } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { Head, HeadSigner, Journal, SignedHead } from '../../journal/index.ts'
import { verifyRun } from './verification.ts'

export interface Around {
  readonly journal: Journal
  readonly events: RunEventBus
  readonly clock: Clock
}

export interface Signing {
  readonly signer?: HeadSigner | undefined
  readonly onSignedHead?: ((head: SignedHead) => unknown) | undefined
}

/** Verifies a run and signs its head. */
export async function signHead(journal: Journal, run: string, signer: HeadSigner | undefined): Promise<SignedHead> {
  if (signer === undefined)
    throw new MandateError('CONFIG_INVALID', 'There is no key to sign with. Give the service a `signer`.')
  const { ok, head, problems } = await verifyRun(journal, run)
  if (!ok) throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" cannot be signed for: ${problems.join(' ')}`)
  return signer.sign(run, head)
}

/** Signs the head of a run that ended or suspended and passes it to the host. A failing signer is reported in an event. */
export async function handHead(
  around: Around,
  { signer, onSignedHead }: Signing,
  run: string,
  head: Head,
): Promise<void> {
  try {
    const signed = await signer!.sign(run, head)
    tellOfHost(around, 'head-signed', run, signed)
    await onSignedHead?.(signed)
  } catch (error) {
    const { code, message } = errorInfo(error)
    tellOfHost(around, 'head-unsigned', run, { code, message })
  }
}
