import { MandateError } from '../core/index.ts'
import type { HeadSigner, Journal, SignedHead } from '../journal/index.ts'

/** Signs where a run stands, once it has been verified. */
export async function signHead(journal: Journal, run: string, signer: HeadSigner | undefined): Promise<SignedHead> {
  if (signer === undefined)
    throw new MandateError('CONFIG_INVALID', 'There is no key to sign with. Give the service a `signer`.')
  const { verifyRun } = await import('./verification.ts')
  const { ok, head, problems } = await verifyRun(journal, run)
  if (!ok) throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" cannot be signed for: ${problems.join(' ')}`)
  return signer.sign(run, head)
}
