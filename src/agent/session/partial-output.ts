import { canonical } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import { PartialObject } from '../output/partial-json.ts'
import { SPEAKING } from '../transcript/model-call-keys.ts'

/** A value of which any part may still be missing. */
export type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T

/** Folds the events of a run into its structured answer as it is written. An answer that is retried, or replaced by a later one, starts again. */
export class PartialOutputFold {
  readonly #object = new PartialObject()
  #key: string | undefined
  #last: Json | undefined

  add({ type, key, data }: MandateEvent): void {
    if (type === 'stream-reset' && key === this.#key) this.#object.reset()
    if (type !== 'text-delta' || (key !== undefined && !SPEAKING.test(key))) return
    if (key === undefined || key !== this.#key) this.#object.reset()
    this.#key = key
    this.#object.add(data.text)
  }

  /** The object so far, if it has changed. */
  take(): Json | undefined {
    const value = this.#object.take()
    if (value !== undefined) this.#last = value
    return value
  }

  /** Whether this is the last object that was taken. */
  isLast(value: Json): boolean {
    return this.#last !== undefined && canonical(this.#last) === canonical(value)
  }
}
