import { canonical } from '../../core/index.ts'
import { composeRedactors, knownValues, redactJson, replaceTokens } from '../../redact/index.ts'
import type { Json, MandateError } from '../../core/index.ts'
import type { Redactor, TokenKeeper } from '../../redact/index.ts'
import { revealChoices } from '../../gate/index.ts'
import type { RevealChoice, Validation } from '../../gate/index.ts'
import type { JournalWriter } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelCall } from '../performers/performer.ts'
import { VAULT_NOTE } from './vault.ts'
import type { Check, Vault } from './vault.ts'
import { checkRevealed } from './revealed-check.ts'
import type { SealedNote, SealedValues } from './sealed-values.ts'
import { performerFor } from '../kernel/performer-table.ts'

interface RunVaultParts {
  readonly values: SealedValues
  redactor(keeper: TokenKeeper | undefined): Redactor
  /** The error of sealing without a key. */
  locked(what: string): MandateError
  /** The error of a value that cannot be found. */
  missing(token: string): MandateError
  /** Looks for a value in the vaults of other runs of the session. */
  elsewhere(token: string): Promise<string | undefined>
}

/** The vault of one run. */
export class RunVault implements Vault {
  readonly redactor: Redactor
  readonly recorded: Redactor
  readonly #parts: RunVaultParts
  /**
   * Known secrets, which are recognized wherever they appear again: without the surrounding words by which they were found first, encoded as base64,
   * inside a URL.
   */
  readonly #secrets = knownValues()

  constructor(parts: RunVaultParts) {
    this.#parts = parts
    const { values } = parts
    const keeper = values.isLocked ? undefined : { token: (kind: string, value: string) => values.token(kind, value) }
    this.recorded = parts.redactor(keeper)
    const known = this.#secrets.scoped!('', { token: (kind) => kind.slice('secret:'.length) })
    // In this order: a known value is replaced as a whole before formats match a part of it.
    this.redactor = composeRedactors(known, this.recorded)
    values.onValue = (token, value) => this.#know(token, value)
    for (const [token, value] of values.opened) this.#know(token, value)
  }

  /** Personal data is found by its format anyway, and there may be much of it. */
  #know(token: string, value: string): void {
    if (token.startsWith('[secret:')) this.#secrets.add(token, value)
  }

  get isLocked(): boolean {
    return this.#parts.values.isLocked
  }

  locked(what: string): MandateError {
    return this.#parts.locked(what)
  }

  async seal(value: Json): Promise<Json | undefined> {
    redactJson(value, this.redactor)
    return (await this.#parts.values.seal()) as unknown as Json | undefined
  }

  async keep(value: Json, run: Pick<ActiveRun, 'writer' | 'ended'>): Promise<void> {
    const note = await this.seal(value)
    // Nothing may follow the end of a run, not even a note of an abandoned performer.
    if (note !== undefined && !run.ended && run.writer.failure === undefined) this.adopt(note, run.writer)
  }

  adopt(sealed: Json, writer: JournalWriter): void {
    if (this.#parts.values.add(sealed as unknown as SealedNote))
      writer.add('note', undefined, { name: VAULT_NOTE, value: sealed })
  }

  async reveal(call: KernelCall): Promise<Json> {
    const choices = this.#wanted(call, call.input)
    if (choices.length === 0) return call.input
    const values = await this.#valuesOf(choices)
    for (const { token } of choices) if (!values.has(token)) throw this.#parts.missing(token)
    const input = withValues(call.input, choices, values)
    await checkRevealed(call, input)
    for (const [token, value] of values) this.#know(token, value)
    return input
  }

  async validate(call: Pick<KernelCall, 'run' | 'effect'>, input: Json, check: Check): Promise<Validation> {
    const choices = this.#wanted(call, input)
    const values = await this.#valuesOf(choices)
    if (values.size === 0) return check(input)
    const whole = withValues(input, choices, values)
    const said = await check(whole)
    const back = hiding(values, this.redactor)
    if (!said.ok) return { ok: false, issues: said.issues.map((issue) => back.text(issue)) }
    return { ok: true, value: canonical(said.value) === canonical(whole) ? input : redactJson(said.value, back) }
  }

  async valueOf(token: string): Promise<string | undefined> {
    return this.#parts.values.valueOf(token)
  }

  /** The values that the gate has decided on, or is about to: a value that needs approval is approved before it is revealed. */
  #wanted({ run, effect }: Pick<KernelCall, 'run' | 'effect'>, input: Json): readonly RevealChoice[] {
    const facts = performerFor(run.host.registry, effect.kind).facts(effect, run)
    return revealChoices({ effect, input, facts, vaulted: true }, run.mandates).filter(
      ({ then, token }) => token.startsWith('[') && (then === 'allow' || then === 'ask'),
    )
  }

  async #valuesOf(choices: readonly RevealChoice[]): Promise<Map<string, string>> {
    const values = new Map<string, string>()
    for (const { token } of choices) {
      if (values.has(token)) continue
      const value = (await this.valueOf(token)) ?? (await this.#parts.elsewhere(token))
      if (value !== undefined) values.set(token, value)
    }
    return values
  }
}

/** Replaces values by their tokens again, including values that no format recognizes. */
function hiding(values: ReadonlyMap<string, string>, redactor: Redactor): Redactor {
  const longest = [...values].sort(([, a], [, b]) => b.length - a.length)
  return {
    text: (text) => redactor.text(longest.reduce((left, [token, value]) => left.replaceAll(value, () => token), text)),
  }
}

function withValues(input: Json, choices: readonly RevealChoice[], values: ReadonlyMap<string, string>): Json {
  const wanted = new Set(choices.map(({ token, pointer }) => `${token} ${pointer}`))
  return replaceTokens(input, (token, pointer) => (wanted.has(`${token} ${pointer}`) ? values.get(token) : undefined))
}
