import type { Json } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { EffectEndData, Entry, IntactEntry, Spend } from '../../journal/index.ts'
import { readAlignment } from './drift.ts'
import type { Intent } from '../effect.ts'
import type { DriftCheck, OverseerPolicy } from '../mandate/guard-fields.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { OVERSEER_KEY, OVERSEER_RESET } from './overseer-names.ts'

const RECENT_MAX = 256
const INTENTS_MAX = 10
const MINUTE_MS = 60_000

/** What the overseer has counted so far. */
export interface OverseerStats {
  readonly toolCalls: number
  /** The tokens of model calls, each counted once, and of child runs that have ended. */
  readonly tokens: number
  /** The number of consecutive drift checks that found the run off its task. */
  readonly drift: number
}

/** A call as shown to a drift check. */
export interface OverseenCall {
  readonly at: number
  readonly hash: string
  readonly name: string
  readonly input: Json
  readonly intent?: Intent | undefined
}

/** The overseer's statistics as guards read them. */
export interface OversightView extends OverseerStats {
  /** The last drift check gave no answer, and no call has started since. */
  readonly isUnchecked: boolean
  /** The number of calls in the last minute before `now`. */
  callsInMinute(now: number): number
  /** How many of the most recent consecutive calls were this same call. */
  repeatsOf(hash: string): number
}

/** A fold over the entries of one run, the same live as when read back. Every run has its own, so that the calls of other runs do not break up a loop. */
export class Oversight implements OversightView {
  toolCalls = 0
  tokens = 0
  drift = 0
  isUnchecked = false
  /** Incremented whenever something was counted. */
  version = 0
  #recent: OverseenCall[] = []

  apply(entry: Entry): void {
    if (isErased(entry)) return
    const isOwn = entry.key?.endsWith(`/${OVERSEER_KEY}`) === true
    if (entry.type === 'effect-start' && !isOwn) this.#started(entry)
    else if (entry.type === 'effect-end') this.#ended(entry.data, isOwn)
    else if (entry.type === 'effect-retry' && !isOwn) this.#spent(entry.data.spent ?? {})
    // A note with a key belongs to a strategy, and strategies choose their own names.
    else if (entry.type === 'note' && entry.key === undefined && entry.data.name === OVERSEER_RESET) this.#reset()
  }

  /** The drift check that one of these mandates requires before the next tool call. */
  dueCheck(mandates: readonly Mandate[]): DriftCheck | undefined {
    for (const { overseer } of mandates) {
      const due = dueDriftCheck(overseer, this.toolCalls)
      if (due !== undefined) return due
    }
    return undefined
  }

  /** The calls that a drift check is about. */
  get lastCalls(): readonly OverseenCall[] {
    return this.#recent.slice(-INTENTS_MAX)
  }

  callsInMinute(now: number): number {
    let count = 0
    for (let i = this.#recent.length - 1; i >= 0 && this.#recent[i]!.at > now - MINUTE_MS; i--) count += 1
    return count
  }

  repeatsOf(hash: string): number {
    let count = 0
    for (let i = this.#recent.length - 1; i >= 0 && this.#recent[i]!.hash === hash; i--) count += 1
    return count
  }

  #started({ at, data }: IntactEntry<'effect-start'>): void {
    const { kind, hash, name, input, intent } = data
    if (kind !== 'tool') return
    this.version += 1
    this.toolCalls += 1
    // The missing answer was known when this call was authorized.
    this.isUnchecked = false
    this.#recent.push({ at, hash, name, input, intent: intent as Intent | undefined })
    if (this.#recent.length > 2 * RECENT_MAX) this.#recent = this.#recent.slice(-RECENT_MAX)
  }

  #ended({ outcome, spent }: EffectEndData, isOwn: boolean): void {
    this.version += 1
    if (!isOwn) return this.#spent(spent)
    const aligned = outcome.status === 'ok' ? readAlignment(outcome.value) : undefined
    this.isUnchecked = aligned === undefined
    if (aligned !== undefined) this.drift = aligned ? 0 : this.drift + 1
  }

  #spent(spent: Spend): void {
    this.tokens += spent.totalTokens ?? (spent.inputTokens ?? 0) + (spent.outputTokens ?? 0)
  }

  #reset(): void {
    this.version += 1
    this.toolCalls = 0
    this.tokens = 0
    this.drift = 0
    this.isUnchecked = false
    this.#recent = []
  }
}

/** The statistics of a run's overseer, from its entries. */
export function foldOversight(entries: Iterable<Entry>): Oversight {
  const oversight = new Oversight()
  for (const entry of entries) oversight.apply(entry)
  return oversight
}

const DRIFT_EVERY = 5

/** The drift check that is due before the next tool call, if any. */
export function dueDriftCheck(policy: OverseerPolicy | undefined, toolCalls: number): DriftCheck | undefined {
  const drift = policy?.drift
  if (drift === undefined) return undefined
  return (toolCalls + 1) % (drift.every ?? DRIFT_EVERY) === 0 ? drift : undefined
}
