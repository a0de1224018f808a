import type { Json, MandateError } from '../../core/index.ts'
import type { Redactor, VaultKeys } from '../../redact/index.ts'
import type { Validation } from '../../gate/index.ts'
import type { JournalWriter, RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelCall } from '../performers/performer.ts'

/** The keys of a host: a key ring, or a function that fetches it when the first run needs it. */
export type VaultSource = VaultKeys | (() => VaultKeys | Promise<VaultKeys>)

/**
 * The redacted values of a run, encrypted in its own journal, so that erasing the run erases them. Only a performer puts a value back, for a call
 * that the gate has allowed.
 */
export interface Vault {
  /** The run's redactor, whose tokens can be resolved. */
  readonly redactor: Redactor
  /** The same without the values learned during the run, because with them an early entry would look changed. */
  readonly recorded: Redactor
  /** This process does not have the key: nothing can be sealed or revealed. */
  readonly isLocked: boolean
  /** The error for something with a secret in it while the vault is locked. */
  locked(what: string): MandateError
  /** Seals the new values in some data; `undefined` if there are none. */
  seal(value: Json): Promise<Json | undefined>
  /** The same, and writes the note: before an entry with its tokens is written. */
  keep(value: Json, run: Pick<ActiveRun, 'writer' | 'ended'>): Promise<void>
  /** Writes a note with values that were sealed for this run, by this process or another. */
  adopt(sealed: Json, writer: JournalWriter): void
  /** The input with its values in place of tokens. */
  reveal(call: KernelCall): Promise<Json>
  /** Validates the input with its values in place of tokens; the result has tokens again. */
  validate(call: Pick<KernelCall, 'run' | 'effect'>, input: Json, check: Check): Promise<Validation>
  /** The value behind a token, if this vault has it. */
  valueOf(token: string): Promise<string | undefined>
}

export type Check = (input: Json) => Validation | Promise<Validation>

/** The name of the notes with sealed values. */
export const VAULT_NOTE = 'vault'

/** The member of a signal's data that holds sealed values, beside the signal's own data. */
export const VAULT_MEMBER = 'mandate:vault'

/** The id of the key that seals a run's vault; `undefined` for runs without a vault. */
export function vaultKeyOf({ pins }: Pick<RunStartData, 'pins'>): string | undefined {
  const id = (pins as { vault?: Json } | null)?.vault
  return typeof id === 'string' ? id : undefined
}
