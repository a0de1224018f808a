import { toPlain } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { checkResponse } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { signAnswer } from '../../journal/index.ts'
import type { ApprovalRecord, Signal } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { RespondSignal } from '../inbox/signals.ts'
import { VAULT_MEMBER } from '../vault/vault.ts'

/** The request that an answer is for. */
interface Answered {
  readonly run: string
  readonly record: ApprovalRecord
  readonly mandates: readonly Mandate[]
}

/**
 * Returns a `respond` signal with the signature of the host that received the answer. The signature covers what the journal will record, so the reach
 * of an approval (input, highest risk, expiry) is computed here and sent along: the owner of the run would compute the expiry from a later moment.
 */
export async function signSignal(
  { signer }: Pick<KernelHost, 'signer'>,
  { run, record, mandates }: Answered,
  signal: Signal,
): Promise<Signal> {
  if (signer === undefined) return signal
  const answer = respondSignalOf(signal)
  const checked = checkResponse(record, { ...answer.response, by: signal.by }, mandates, signal.at)
  // Left unsigned: the receiver refuses an invalid answer with a reason, and the kernel's own answers (expiry, withdrawal) grant nothing.
  if (!checked.ok) return signal
  const { standing } = checked.data
  const reach =
    standing === undefined
      ? {}
      : { standing: { input: standing.input, riskMax: standing.riskMax, expiresAt: standing.expiresAt } }
  const signature = await signAnswer(signer, { run, hash: record.data.hash }, checked.data)
  if (signature === undefined) return signal
  const data = toPlain({ ...answer, response: { ...answer.response, ...reach, signature } }).value
  const sealed = (signal.data as { readonly [VAULT_MEMBER]?: Json } | null)?.[VAULT_MEMBER]
  return { ...signal, data: sealed === undefined ? data : { [VAULT_MEMBER]: sealed, data } }
}

/** The answer in a signal. A signal that carries sealed values has its answer in `data`, beside them. */
export function respondSignalOf({ data }: Signal): RespondSignal {
  const given = (data ?? {}) as { readonly [VAULT_MEMBER]?: Json; readonly data?: Json }
  return ((given[VAULT_MEMBER] === undefined ? given : given.data) ?? {}) as unknown as RespondSignal
}
