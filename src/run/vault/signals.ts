import { redactJson } from '../../redact/index.ts'
import { readStart } from '../../journal/index.ts'
import type { Signal } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'
import { VAULT_MEMBER, vaultKeyOf } from './vault.ts'
import { openVault } from './open-vault.ts'

/**
 * Removes the secrets from a signal, because the inbox is stored in plain text. If the run has a vault, the values are attached in sealed form, so that an
 * answer with a secret can be applied; otherwise they are lost.
 */
export async function sealSignal(host: KernelHost, run: string, signal: Signal): Promise<Signal> {
  const start = await readStart(host.journal, run)
  if (start === undefined || vaultKeyOf(start) === undefined)
    return { ...signal, data: redactJson(signal.data, host.redactor) }
  const vault = await openVault({ host, run, start, entries: [], parent: undefined })
  if (vault.isLocked) throw vault.locked(`What you say to run "${run}"`)
  const sealed = await vault.seal(signal.data)
  const data = redactJson(signal.data, vault.redactor)
  return { ...signal, data: sealed === undefined ? data : { [VAULT_MEMBER]: sealed, data } }
}
