import { MandateError } from '../../core/index.ts'
import { checkVaultKeys, inScope } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import type { VaultKeys } from '../../redact/index.ts'
import { isErased, readAll, readStart } from '../../journal/index.ts'
import type { Entry, RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelHost } from '../kernel/host.ts'
import { VAULT_NOTE, vaultKeyOf } from './vault.ts'
import type { Vault } from './vault.ts'
import { RunVault } from './run-vault.ts'
import { SealedValues } from './sealed-values.ts'
import type { SealedNote } from './sealed-values.ts'

interface VaultParts {
  readonly host: KernelHost
  readonly run: string
  readonly start: RunStartData
  readonly entries: readonly Entry[]
  readonly parent: ActiveRun | undefined
}

/** The fetched keys of each host. Fetching may be remote, so it is done once, and again only if it failed. */
const fetched = new WeakMap<KernelHost, Promise<VaultKeys>>()

/** The keys of a host that has a vault. */
async function vaultKeys(host: KernelHost): Promise<VaultKeys> {
  const source = host.vault!
  if (typeof source !== 'function') return checkVaultKeys(source)
  const keys = fetched.get(host) ?? Promise.resolve(source())
  fetched.set(host, keys)
  try {
    return checkVaultKeys(await keys)
  } catch (error) {
    fetched.delete(host)
    throw error
  }
}

/** Opens a run's vault with the host's key. Without the key the run continues, and only calls that need a value behind a token fail. */
export async function openVault({ host, run, start, entries, parent }: VaultParts): Promise<Vault> {
  const id = vaultKeyOf(start)!
  const ring = host.vault === undefined ? undefined : await vaultKeys(host)
  const key = keyNamed(ring, id)
  const values = new SealedValues(key, run, start.sessionId)
  for (const note of notesOf(entries)) values.add(note)
  if (key !== undefined) await values.unlock()
  return new RunVault({
    values,
    redactor: (keeper) => inScope(host.redactor, start.sessionId, keeper),
    locked: (what) => locked(what, id),
    missing: (token) => missing(token, { isLocked: key === undefined, id }),
    elsewhere: (token) => findElsewhere({ host, run, start, parent, ring }, token),
  })
}

function keyNamed(ring: VaultKeys | undefined, id: string | undefined): Uint8Array | undefined {
  return ring !== undefined && id !== undefined && Object.hasOwn(ring.keys, id) ? ring.keys[id] : undefined
}

/** The sealed notes in a run's entries. A malformed note, which any writer of the journal may have added, is ignored. */
function notesOf(entries: readonly Entry[]): SealedNote[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'note' || entry.key !== undefined || isErased(entry)) return []
    const { name, value } = entry.data
    return name === VAULT_NOTE ? [value as unknown as SealedNote] : []
  })
}

interface Search extends Omit<VaultParts, 'entries'> {
  readonly ring: VaultKeys | undefined
}

/** Looks for a value in the vaults of the parent, of children's answers and of earlier runs of the session. */
async function findElsewhere({ host, run, start, parent, ring }: Search, token: string): Promise<string | undefined> {
  for (let above = parent; above !== undefined; above = above.parent) {
    const value = await above.vault?.valueOf(token)
    if (value !== undefined) return value
  }
  const { sessionId } = start
  for (const other of await host.journal.list({ sessionId, limit: Number.MAX_SAFE_INTEGER })) {
    if (other.run === run || other.erased) continue
    const began = await readStart(host.journal, other.run)
    const key = began === undefined ? undefined : keyNamed(ring, vaultKeyOf(began))
    if (key === undefined) continue
    const entries = await readAll(host.journal, other.run)
    const values = new SealedValues(key, other.run, sessionId)
    for (const note of notesOf(entries)) values.add(note)
    const value = await values.valueOf(token)
    if (value !== undefined) return value
  }
  return undefined
}

function locked(what: string, id: string): MandateError {
  return new MandateError(
    'KEY_MISSING',
    `${what} holds a secret, which would be sealed under the key "${id}"; this process does not have it. Give it with the \`vault\` option of the service, or leave the secret out.`,
  )
}

function missing(token: string, { isLocked, id }: { isLocked: boolean; id: string }): MandateError {
  const info: Json = { token }
  return isLocked
    ? new MandateError(
        'KEY_MISSING',
        `The value behind ${token} is sealed under the key "${id}", which this process does not have. Give it with the \`vault\` option of the service.`,
        { info },
      )
    : new MandateError(
        'NOT_FOUND',
        `No vault of this session has a value behind ${token}: the token was made up, its run was erased, or the key "${id}" is not the one it was sealed with.`,
        { info },
      )
}

/** The id of the key with which new runs are sealed. */
export async function newVaultKey(host: KernelHost): Promise<string> {
  return (await vaultKeys(host)).current
}

/** Opens the vault of a run, if it has one. */
export async function vaultFor(
  host: KernelHost,
  run: string,
  start: RunStartData,
  { entries = [], parent }: { entries?: readonly Entry[]; parent?: ActiveRun | undefined } = {},
): Promise<Vault | undefined> {
  if (vaultKeyOf(start) === undefined) return undefined
  return openVault({ host, run, start, entries, parent })
}
