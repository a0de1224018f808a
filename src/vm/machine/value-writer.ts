import { MandateError, toBase64 } from '../../core/index.ts'
import { BoundMethod } from '../value/native/bound-method.ts'
import type { FunctionCode } from '../compile/code.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { GuestArray } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import type { Code } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { GuestPromise, PENDING, REJECTED } from '../value/guest-promise.ts'
import type { HeapLabel } from '../value/heap-label.ts'
import { Accessor } from '../value/prototypes/extra.ts'
import { GuestAbortController, GuestAbortSignal } from '../value/native/guest-abort.ts'
import { GuestBuffer, GuestDataView, GuestTextCoder, GuestTyped } from '../value/native/guest-bytes.ts'
import { UNSET } from '../compile/lower/scope.ts'
import { GuestSymbol } from '../value/symbols.ts'
import { CollectionIterator } from './iteration/collection-iterator.ts'
import { Delegate } from './iteration/delegate.ts'
import { DONE, GuestGenerator } from './iteration/generator.ts'
import { LiveItems } from './iteration/items.ts'
import { FRAME_HEAD } from './frame.ts'
import { Resolver } from './promises/promise-waiters.ts'
import { GuestSearchParams, GuestUrl } from '../value/native/guest-url.ts'
import { GuestWeak } from '../value/native/guest-weak.ts'
import { GuestFormat } from '../value/native/guest-native.ts'

/**
 * A serialized value: a JSON primitive, or an array: `[]` is undefined, `[n]` a reference, `['n', text]` a number that JSON cannot represent, `['h']` a hole,
 * `['u']` a variable without a value.
 */
type SerializedValue = string | number | boolean | null | readonly (string | number)[]

const CUT =
  'The promise had not settled when its cell ended, and never will: calls are finished by then, callbacks of timers and resolvers are not. Await it in the cell that makes it, or make a new promise in the cell that resolves it.'

/** A hole in a list. */
const HOLE: readonly ['h'] = ['h']

/** Settings to serialize values of a session: its variables by name, and functions with their programs. */
export interface WriterSession {
  nameOf(box: Box): string | undefined
  programOf(code: Code): string
}

/** Serializes every reachable value once, without recursion, preserving sharing and cycles. */
export class ValueWriter {
  readonly cells: unknown[][] = []
  readonly #ids = new Map<object, number>()
  readonly #queue: object[] = []
  /** Whether a function of the program was serialized: only the same program can read it. */
  hasCode = false
  /** Programs of the functions that were serialized, and shared variables that these use. */
  readonly programs: string[] = []
  readonly names: Set<string> = new Set()
  readonly #session: WriterSession | undefined

  constructor(session?: WriterSession) {
    this.#session = session
  }

  /** Everything that was serialized. */
  get values(): readonly object[] {
    return this.#queue
  }

  put(value: unknown): SerializedValue {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'undefined':
        return []
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : ['n', Object.is(value, -0) ? '-0' : String(value)]
      default:
        return value === null ? null : this.#reference(value as object)
    }
  }

  #reference(value: object): SerializedValue {
    const name = value instanceof Box ? this.#session?.nameOf(value) : undefined
    if (name !== undefined) {
      this.names.add(name)
      return ['v', name]
    }
    let id = this.#ids.get(value)
    if (id === undefined) {
      id = this.#ids.size
      this.#ids.set(value, id)
      this.#queue.push(value)
    }
    return [id]
  }

  /** Serializes everything reachable from the roots; call it after the roots were put. */
  finish(): void {
    for (let i = 0; i < this.#queue.length; i++) this.cells.push(this.#cell(this.#queue[i]!))
  }

  #all(values: Iterable<unknown>): SerializedValue[] {
    return Array.from(values, (value) => this.put(value))
  }

  #items({ items, hasGaps }: GuestArray): SerializedValue[] {
    const papers = this.#all(items)
    if (hasGaps) for (let i = 0; i < papers.length; i++) if (!(i in items)) papers[i] = HOLE
    return papers
  }

  #cell(value: object): unknown[] {
    if (value instanceof GuestArray)
      return ['a', serializedLabel(value.label), flagsOf(value), this.put(value.named), ...this.#items(value)]
    if (value instanceof GuestError) return this.#error(value)
    if (value instanceof GuestObject)
      return ['o', serializedLabel(value.label), this.#extra(value), ...this.#entries(value)]
    if (value instanceof GuestMap)
      return ['m', value.label, ...[...value.entries].flatMap(([key, item]) => [this.put(key), this.put(item)])]
    if (value instanceof GuestSet) return ['S', value.label, ...this.#all(value.values)]
    if (value instanceof GuestDate) return ['t', value.label, this.put(value.time)]
    if (value instanceof GuestRegExp) return ['r', value.label, value.source, value.flags, this.put(value.lastIndex)]
    if (value instanceof BoundMethod) return ['M', 0, value.path, this.put(value.receiver)]
    if (value instanceof Resolver) return ['R', 0, value.rejects, this.put(value.promise)]
    if (value instanceof BuiltinFunction) return ['B', 0, value.path]
    if (value instanceof GuestSymbol) return ['y', 0, value.key, value.description ?? null]
    if (value instanceof GuestGenerator) return this.#generator(value)
    if (value instanceof CollectionIterator)
      return ['I', value.label, value.mode, value.type, value.placeNow(), this.put(value.source)]
    if (value instanceof GuestWeak) return ['W', value.label, value.receiver, ...this.#all([...value.entries].flat())]
    if (value instanceof GuestFormat) return ['F', value.label, value.receiver, value.locale, value.options]
    if (value instanceof GuestUrl) return ['U', value.label, value.href, this.put(value.params)]
    if (value instanceof GuestSearchParams) return ['Q', value.label, this.put(value.url), ...value.pairs.flat()]
    if (value instanceof GuestBuffer) return ['A', value.label, toBase64(new Uint8Array(value.data))]
    if (value instanceof GuestTyped)
      return ['T', value.label, value.kind, this.put(value.buffer), value.view.byteOffset, value.view.length]
    if (value instanceof GuestDataView)
      return ['V', value.label, this.put(value.buffer), value.view.byteOffset, value.view.byteLength]
    if (value instanceof GuestTextCoder) return ['C', value.label, value.receiver, value.isFatal, value.ignoresMark]
    if (value instanceof GuestAbortController) return ['X', value.label, this.put(value.signal)]
    if (value instanceof GuestAbortSignal) return ['G', value.label, value.isAborted, this.put(value.reason)]
    if (value instanceof Accessor) return ['g', 0, this.put(value.get), this.put(value.set)]
    if (value instanceof Box) return ['b', value.label, this.put(value.value)]
    if (value instanceof GuestFunction) {
      const program = this.#programOf(value.code)
      const label = serializedLabel(value.label)
      const id = value.own === null ? value.code.id : [value.code.id, this.put(value.own)]
      if (program >= 0) return ['q', label, program, id, ...this.#all(value.boxes)]
      return ['f', label, id, ...this.#all(value.boxes)]
    }
    if (value instanceof GuestPromise && this.#session !== undefined) {
      // Calls are complete when the cell ends, so a pending promise can never settle.
      if (value.state === PENDING) cut(value)
      return ['P', value.label, value.state, this.put(value.value)]
    }
    const what = value instanceof GuestPromise ? 'A promise' : 'A value that is in use'
    throw new MandateError('INPUT_INVALID', `${what} cannot be kept. Keep what it gives: \`await\` it first.`)
  }

  /** The number of the program of a function, below 0 outside of sessions. */
  #programOf(code: Code): number {
    this.hasCode = true
    return this.#session === undefined ? -1 : this.#program(this.#session.programOf(code))
  }

  /** Serializes a generator with the variables and the progress of its function. */
  #generator({ active, label, state }: GuestGenerator): unknown[] {
    const { code, frame } = active
    const [boxes, , ...held] = frame
    const { resumableSlots } = code as FunctionCode
    // Frames are allocated in a few sizes; only the slots that the code uses are stored. An ended generator has none.
    const slots = state === DONE ? [] : held.slice(0, resumableSlots - FRAME_HEAD)
    const papers = [...this.#all(boxes), ...slots.map((slot) => this.#slot(slot))]
    return ['Y', label, this.#programOf(code), code.id, state, boxes.length, resumableSlots, ...papers]
  }

  #slot(slot: unknown): SerializedValue {
    if (slot === UNSET) return ['u']
    const isValue = typeof slot !== 'symbol' && typeof slot !== 'function' && !(slot instanceof LiveItems)
    if (isValue && !(slot instanceof Delegate)) return this.put(slot)
    throw new MandateError(
      'INPUT_INVALID',
      'A generator in the middle of its work cannot be kept. Keep its items: `[...generator]`.',
    )
  }

  #program(hash: string): number {
    const known = this.programs.indexOf(hash)
    return known < 0 ? this.programs.push(hash) - 1 : known
  }

  #entries(value: GuestObject): unknown[] {
    return [...value.allKeys(), ...value.symbolKeys()].flatMap((key) => [
      key,
      this.put(value.accessor(key) ?? value.get(key)),
    ])
  }

  /** Serializes the integrity, the prototype and other data that plain objects do not have. */
  #extra({ extra, integrity }: GuestObject): unknown {
    if (extra === null) return 0
    const { proto, privates, hidden, fixed, sealed } = extra
    if (
      proto === null &&
      privates === null &&
      hidden === null &&
      fixed === null &&
      sealed === null &&
      !extra.hasAccessors &&
      !extra.isBare
    )
      return integrity
    const keys = [hidden, fixed, sealed].map((set) => [...(set ?? [])])
    return [integrity, this.put(proto), this.put(privates), ...keys, ...(extra.isBare ? [1] : [])]
  }

  #error(value: GuestError): unknown[] {
    const { kind, name, message, code = '' } = value
    const own = [kind, name, message, code, this.put(value.cause), this.put(value.errors)]
    return ['e', serializedLabel(value.label), this.#extra(value), own, ...this.#entries(value)]
  }
}

function cut(promise: GuestPromise): void {
  promise.state = REJECTED
  promise.isResolved = true
  promise.value = new GuestError('Error', CUT)
  promise.waiters = null
}

function serializedLabel(label: HeapLabel): unknown {
  return typeof label === 'number'
    ? label
    : [label.whole, label.all, [...label.parts], label.items.map((bits) => bits ?? -1)]
}

function flagsOf({ isFrozen, hasGaps }: GuestArray): number {
  return (isFrozen ? 1 : 0) + (hasGaps ? 2 : 0)
}
