import type { Json } from '../../core/index.ts'
import { burn, live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate } from '../value/collections.ts'
import { receiverOf } from '../value/convert.ts'
import type { Guest, GuestRef } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { jsonTextBytes } from '../value/text/json-text.ts'
import { GuestTyped } from '../value/native/guest-bytes.ts'
import { GuestUrl } from '../value/native/guest-url.ts'
import { inspect, inspectAccessor } from '../value/text/inspect.ts'
import { thrown } from '../value/thrown.ts'
import { BORDER_DEPTH_MAX } from './import.ts'

/**
 * Copies a value out of the VM as plain data. Size is counted as JSON, so that a value that contains the same list many times is refused before it is
 * expanded. `undefined` members are omitted, as in JSON.
 */
export function exportValue(value: Guest): Json {
  // Fast path: most exported values are one number or a short text.
  if (typeof value === 'number' && live.machine.limits.outputBytes >= 8) {
    burn(10)
    return Number.isFinite(value) ? value : null
  }
  return new Exporting(live.machine.limits.outputBytes, 'null').value(value)
}

/** Exports the result of a program. A number that JSON cannot represent becomes `null`, with a warning. */
export function exportResult(value: Guest): Json {
  return new Exporting(live.machine.limits.outputBytes, 'warn').value(value)
}

/** Exports the input of a call. A number that JSON cannot represent is refused, because a tool would silently receive `null`. */
export function exportInput(value: Guest): Json {
  return new Exporting(live.machine.limits.outputBytes, 'refuse').value(value)
}

/**
 * Exports a variable that is read by the host while no program runs. A value that is not data becomes the text that `console.log` prints for it; getters do
 * not run.
 */
export function exportShown(value: Guest): Json {
  return new Exporting(live.machine.limits.outputBytes, 'warn', 'still').value(value)
}

/** Exports a value, with its text form if JSON cannot represent it: a map, a date, `NaN`, or data that contains such values. */
export function exportWithText(value: Guest): { readonly value: Json; readonly shown?: string } {
  const exporting = new Exporting(live.machine.limits.outputBytes, 'warn', 'shown')
  const made = exporting.value(value)
  if (exporting.isExact && !(value instanceof GuestDate)) return { value: made }
  return { value: made, shown: inspect(value) }
}

const HINTS: Readonly<Record<string, string>> = {
  map: 'Use Object.fromEntries(map).',
  set: 'Use [...set].',
  promise: 'Await it first.',
  function: 'Call it, or return data instead.',
  regexp: 'Use its source.',
  timer: 'Return data instead.',
  abortsignal: 'Leave it out: a run is cancelled from outside.',
  arraybuffer: 'Use [...new Uint8Array(buffer)].',
  urlsearchparams: 'Use Object.fromEntries(params) or String(params).',
}

/** How to export a number that JSON cannot represent. */
type OddNumbers = 'null' | 'warn' | 'refuse'

/** Whether a value that is not data is refused or becomes a text; `still`: in addition, no code of the program runs. */
type Mode = 'data' | 'shown' | 'still'

class Exporting {
  readonly #allowed: number
  readonly #odd: OddNumbers
  readonly #mode: Mode
  readonly #open: object[] = []
  readonly #path: (string | number)[] = []
  #bytes = 0
  /** Whether nothing had to be replaced by a text or by `null`. */
  isExact = true

  constructor(allowed: number, odd: OddNumbers, mode: Mode = 'data') {
    this.#allowed = allowed
    this.#odd = odd
    this.#mode = mode
  }

  value(value: Guest): Json {
    switch (typeof value) {
      case 'string':
        this.#count(jsonTextBytes(value))
        return value
      case 'number':
        this.#count(8)
        if (Number.isFinite(value)) return value
        this.isExact = false
        if (this.#odd === 'refuse')
          throw thrown(
            'TypeError',
            `${value} cannot be given to a call (at \`${this.#place()}\`): JSON has no such number.`,
          )
        if (this.#odd === 'warn')
          live.machine.warn(`${value} left the program as null (at \`${this.#place()}\`): JSON has no such number.`)
        return null
      case 'boolean':
        this.#count(4)
        return value
      case 'undefined':
        this.#count(4)
        return null
      default:
        this.#count(4)
        return value === null ? null : this.#reference(value)
    }
  }

  /** Exports a handle as the data that it represents. */
  #given({ standsFor }: BuiltinFunction): Json {
    this.#count(JSON.stringify(standsFor).length)
    return standsFor!
  }

  #reference(value: GuestRef): Json {
    if (value instanceof GuestDate) return Number.isNaN(value.time) ? null : new Date(value.time).toISOString()
    if (value instanceof GuestUrl) return this.value(value.text())
    if (value instanceof GuestTyped) return this.#list(value.view)
    if (value instanceof BuiltinFunction && value.standsFor !== undefined && this.#mode === 'data')
      return this.#given(value)
    const isList = value instanceof GuestArray
    if (this.#mode !== 'data' && ((!isList && !(value instanceof GuestObject)) || this.#isTooDeep(value)))
      return this.#text(value)
    if (!isList && !(value instanceof GuestObject)) {
      const kind = receiverOf(value) ?? 'value'
      throw thrown(
        'TypeError',
        `A ${kind} cannot leave the program (at \`${this.#place()}\`). ${HINTS[kind] ?? ''}`.trim(),
      )
    }
    burn(this.#open.length)
    if (this.#open.includes(value))
      throw thrown('TypeError', `A value that holds itself cannot leave the program (at \`${this.#place()}\`).`)
    if (this.#open.length >= BORDER_DEPTH_MAX)
      throw thrown('TypeError', `A value nested deeper than ${BORDER_DEPTH_MAX} cannot leave the program.`)
    this.#open.push(value)
    const made = isList ? this.#list(value.items) : this.#record(value)
    this.#open.pop()
    return made
  }

  #isTooDeep(value: GuestRef): boolean {
    return this.#open.includes(value) || this.#open.length >= BORDER_DEPTH_MAX
  }

  #text(value: GuestRef): Json {
    this.isExact = false
    if (this.#isTooDeep(value)) return '[Circular]'
    const text = inspect(value)
    this.#count(jsonTextBytes(text))
    return text
  }

  #list(items: ArrayLike<Guest>): Json {
    const made: Json[] = []
    for (let i = 0; i < items.length; i++) made.push(this.#inside(i, items[i]))
    return made
  }

  #record(record: GuestObject): Json {
    const made: Record<string, Json> = {}
    if (record instanceof GuestError) {
      this.#count(jsonTextBytes(record.name) + jsonTextBytes(record.message) + 20)
      put(made, 'name', record.name)
      put(made, 'message', record.message)
    }
    for (const key of record.listKeys()) {
      const accessor = this.#mode === 'still' ? record.accessor(key) : undefined
      const value = accessor === undefined ? record.get(key) : inspectAccessor(accessor)
      if (value === undefined) continue
      this.#count(jsonTextBytes(key) + 1)
      put(made, key, this.#inside(key, value))
    }
    return made
  }

  #inside(key: string | number, value: Guest): Json {
    this.#path.push(key)
    const made = this.value(value)
    this.#path.pop()
    return made
  }

  #place(): string {
    return this.#path.length === 0 ? (this.#odd === 'refuse' ? 'input' : 'result') : `/${this.#path.join('/')}`
  }

  #count(bytes: number): void {
    burn(10)
    if ((this.#bytes += bytes) > this.#allowed) throw limitStop('outputBytes', this.#allowed)
  }
}

/** A key called `__proto__` is data like any other. */
function put(record: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
  else record[key] = value
}
