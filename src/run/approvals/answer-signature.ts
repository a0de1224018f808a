import { toPlain } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { checkResponse } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { signAnswer } from '../../journal/index.ts'
import type { ApprovalRecord, Signal } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { RespondSignal } from '../inbox/signals.ts'
import { VAULT_MEMBER } from '../vault/vault.ts'

/** What is answered. */
interface Answered {
  readonly run: string
  readonly record: ApprovalRecord
  readonly mandates: readonly Mandate[]
}

/**
 * A `respond` signal as it will lie in the inbox, with the signature of the host that took the answer. What is signed is what the journal will say, so
 * how far an approval reaches is worked out here and goes along in full: the owner of the run would otherwise count its end from another moment.
 */
export async function signSignal(
  { signer }: Pick<KernelHost, 'signer'>,
  { run, record, mandates }: Answered,
  signal: Signal,
): Promise<Signal> {
  if (signer === undefined) return signal
  const said = saidIn(signal)
  const checked = checkResponse(record, { ...said.response, by: signal.by }, mandates, signal.at)
  // The receiver refuses it with a reason; answers of the kernel itself permit nothing.
  if (!checked.ok) return signal
  const { standing } = checked.data
  const reach =
    standing === undefined
      ? {}
      : { standing: { input: standing.input, riskMax: standing.riskMax, expiresAt: standing.expiresAt } }
  const signature = await signAnswer(signer, { run, hash: record.data.hash }, checked.data)
  if (signature === undefined) return signal
  const data = toPlain({ ...said, response: { ...said.response, ...reach, signature } }).value
  const sealed = (signal.data as { readonly [VAULT_MEMBER]?: Json } | null)?.[VAULT_MEMBER]
  return { ...signal, data: sealed === undefined ? data : { [VAULT_MEMBER]: sealed, data } }
}

/** What a signal answers; one that brings sealed values has it beside them. */
export function saidIn({ data }: Signal): RespondSignal {
  const given = (data ?? {}) as { readonly [VAULT_MEMBER]?: Json; readonly data?: Json }
  return ((given[VAULT_MEMBER] === undefined ? given : given.data) ?? {}) as unknown as RespondSignal
}
