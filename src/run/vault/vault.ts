import type { Json, MandateError } from '../../core/index.ts'
import type { Redactor, VaultKeys } from '../../redact/index.ts'
import type { Gate, Mandate, Validation } from '../../gate/index.ts'
import type { JournalWriter, RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelCall } from '../performers/performer.ts'

/** Where a host's keys come from: the ring, or a function that fetches it when the first run needs it. */
export type VaultSource = VaultKeys | (() => VaultKeys | Promise<VaultKeys>)

/**
 * What a run keeps of the values that redaction took out of it: sealed, in its own journal, so that erasing the run erases them.
 * Only a performer, for a call that the gate has let pass, puts a value back.
 */
export interface Vault {
  /** The run's redactor: its tokens can be turned back. */
  readonly redactor: Redactor
  /** The same without what was learned on the way: by what a run knew later, an early entry would look changed. */
  readonly recorded: Redactor
  /** This process has not the key: nothing can be put in, nor taken out. */
  readonly isLocked: boolean
  /** The refusal of something with a secret in it, for that reason. */
  locked(what: string): MandateError
  /** The gate of a run that has a vault. */
  gateFor(mandates: readonly Mandate[]): Gate
  /** Seals what a value holds that is new; nothing when nothing is. */
  seal(value: Json): Promise<Json | undefined>
  /** The same, written: before an entry with its tokens is written. */
  keep(value: Json, run: Pick<ActiveRun, 'writer' | 'ended'>): Promise<void>
  /** Writes the values that were sealed for this run, by this process or another. */
  adopt(sealed: Json, writer: JournalWriter): void
  /** The input as the performer shall have it. */
  reveal(call: KernelCall): Promise<Json>
  /** What the target says of the input as it would have it; what it gives back has its tokens again. */
  validate(call: Pick<KernelCall, 'run' | 'effect'>, input: Json, check: Check): Promise<Validation>
  /** The value behind a token, if this vault has it. */
  valueOf(token: string): Promise<string | undefined>
}

export type Check = (input: Json) => Validation | Promise<Validation>

/** The name of the notes that hold what was sealed. */
export const VAULT_NOTE = 'vault'

/** Where a signal that brings sealed values has them, beside its own data. */
export const VAULT_MEMBER = 'mandate:vault'

/** The id of the key that a run's vault is sealed with; runs without a vault have none. */
export function vaultKeyOf({ pins }: Pick<RunStartData, 'pins'>): string | undefined {
  const id = (pins as { vault?: Json } | null)?.vault
  return typeof id === 'string' ? id : undefined
}
