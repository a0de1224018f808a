import { freezeDeep, nextTurn, writeAhead } from '../../core/index.ts'
import type { Json, JsonObject, Outcome } from '../../core/index.ts'
import { markRedacted, redactJson } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'

/** About as much as is redacted and frozen in 10 ms: characters, plus a fixed weight for each member. */
const SLICE = 400_000
const MEMBER = 16

/**
 * Prepares a large outcome for its entry in slices, yielding to the event loop between them: redacts it, freezes it and
 * writes the text that is hashed. Sealing the entry then happens in one turn and reuses all of this. A single string is one slice.
 */
export async function prepareLarge(outcome: Outcome<Json>, redactor: Redactor): Promise<Outcome<Json>> {
  await nextTurn()
  // Redaction replaces texts by texts: the outcome keeps its form.
  const ready = (await new SlicedRedaction(redactor).value(outcome as unknown as Json)) as unknown as Outcome<Json>
  markRedacted(ready, redactor)
  await nextTurn()
  writeAhead(ready)
  await nextTurn()
  return ready
}

class SlicedRedaction {
  readonly #redactor: Redactor
  #left = SLICE

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  async value(value: Json): Promise<Json> {
    const weight = weigh(value, SLICE)
    if (weight > SLICE && typeof value === 'object')
      return Array.isArray(value) ? this.#list(value as readonly Json[]) : this.#record(value as JsonObject)
    await this.#take(weight)
    return this.#small(value)
  }

  #small(value: Json): Json {
    return freezeDeep(redactJson(value, this.#redactor))
  }

  /** Yields to the event loop if the slice has no room for this weight. */
  async #take(weight: number): Promise<void> {
    if (weight > this.#left) {
      await nextTurn()
      this.#left = SLICE
    }
    this.#left -= weight
  }

  async #list(items: readonly Json[]): Promise<Json> {
    const safe: Json[] = []
    for (const item of items) {
      const weight = weigh(item, SLICE)
      if (weight > this.#left) safe.push(await this.value(item))
      else {
        this.#left -= weight
        safe.push(this.#small(item))
      }
    }
    return Object.freeze(safe)
  }

  async #record(record: JsonObject): Promise<Json> {
    const safe: [string, Json][] = []
    for (const [name, item] of Object.entries(record)) {
      if (typeof item === 'string') {
        await this.#take(weigh(item, SLICE))
        safe.push([this.#redactor.text(name), this.#redactor.member?.(name, item) ?? this.#redactor.text(item)])
      } else safe.push([this.#redactor.text(name), await this.value(item)])
    }
    // Redaction may make two names equal: the last member wins, as in every redaction.
    return Object.freeze(Object.fromEntries(safe))
  }
}

/** The weight of a value; counting stops beyond `max`. */
function weigh(value: Json, max: number): number {
  if (typeof value === 'string') return MEMBER + value.length
  if (typeof value !== 'object' || value === null) return MEMBER
  let weight = MEMBER
  const record = value as JsonObject
  for (const name in record) {
    weight += weigh(record[name]!, max - weight)
    if (weight > max) break
  }
  return weight
}
