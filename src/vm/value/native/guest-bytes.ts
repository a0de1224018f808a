import { burn, charge, chargeList, live } from '../../meter/live.ts'
import { limitStop, refused } from '../../meter/stop.ts'
import { toNumber } from '../convert.ts'
import type { Guest } from '../guest.ts'
import { GuestArray } from '../guest-array.ts'
import { isIndexKey } from '../guest-object.ts'
import type { IteratorMode } from './guest-native.ts'
import { noteMade } from '../text/text.ts'
import { thrown } from '../thrown.ts'
import { GuestNative } from './guest-native.ts'

const VIEW_BYTES = 128
/** The longest text of a number, with a separator. */
const NUMBER_TEXT = 26

/** Kinds of typed arrays. */
export type TypedKind =
  | 'Int8Array'
  | 'Uint8Array'
  | 'Uint8ClampedArray'
  | 'Int16Array'
  | 'Uint16Array'
  | 'Int32Array'
  | 'Uint32Array'
  | 'Float32Array'
  | 'Float64Array'
/** A view of the platform over the bytes of a buffer. */
type HostView = InstanceType<(typeof globalThis)[TypedKind]>

/** How the platform makes such a view, and the size of an item. */
interface ViewMaker {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): HostView
}

/** The platform's typed arrays, by kind. */
export const VIEWS: Readonly<Record<TypedKind, ViewMaker>> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
}
export const TYPED_KINDS: readonly TypedKind[] = Object.keys(VIEWS) as TypedKind[]

/** An `ArrayBuffer`. */
export class GuestBuffer extends GuestNative {
  readonly receiver = 'arraybuffer' as const
  readonly type = 'ArrayBuffer'
  readonly data: ArrayBuffer

  constructor(data: ArrayBuffer) {
    super()
    this.data = data
  }

  get bytes(): number {
    return VIEW_BYTES + this.data.byteLength
  }
}

/** Makes a buffer of zeroes, charged for before it is made. */
export function newBuffer(byteLength: number): GuestBuffer {
  charge(VIEW_BYTES + byteLength)
  burn(2_000 + (byteLength >> 2))
  return new GuestBuffer(new ArrayBuffer(byteLength))
}

/** A view of a part of a buffer. It shares the label of the buffer, because views of the same buffer read each other's writes. */
abstract class BufferView extends GuestNative {
  buffer: GuestBuffer

  constructor(buffer: GuestBuffer) {
    super()
    burn(600)
    this.buffer = buffer
  }

  protected override get labelled(): GuestNative | undefined {
    return this.buffer
  }

  get bytes(): number {
    return VIEW_BYTES
  }

  override held(): readonly unknown[] {
    return [this.buffer]
  }
}

/** A typed array: numbers of one kind over the bytes of a buffer. */
export class GuestTyped extends BufferView {
  readonly receiver = 'typedarray' as const
  readonly kind: TypedKind
  view: HostView

  constructor(kind: TypedKind, buffer: GuestBuffer, view: HostView) {
    super(buffer)
    charge(VIEW_BYTES)
    this.kind = kind
    this.view = view
  }

  get type(): string {
    return this.kind
  }

  override get count(): number {
    return this.view.length
  }

  override get isIndexed(): boolean {
    return true
  }

  override itemAt(index: number, mode: IteratorMode = 'values'): Guest {
    burn(10)
    if (mode !== 'entries') return mode === 'keys' ? index : this.view[index]
    chargeList(2)
    return new GuestArray([index, this.view[index]])
  }

  override text(): string {
    return joinView(this.view, ',')
  }

  /** Sets an item. Beyond the end nothing is set, as in JavaScript. */
  put(index: number, value: Guest): void {
    if (typeof value === 'number') this.view[index] = value
    else if (typeof value === 'object' && value !== null)
      throw refused('An item of a typed array is a number: write Number(value).')
    else this.view[index] = toNumber(value)
  }

  override write(key: string, value: Guest): boolean {
    if (isIndexKey(key)) this.put(Number(key), value)
    else if (['length', 'buffer', 'byteLength', 'byteOffset'].includes(key))
      throw thrown('TypeError', `Cannot set property ${key} of [object ${this.kind}] which has only a getter`)
    // Other numeric keys are not items, and are not stored.
    else return String(Number(key)) === key
    return true
  }
}

/** A `DataView`. */
export class GuestDataView extends BufferView {
  readonly receiver = 'dataview' as const
  readonly type = 'DataView'
  view: DataView

  constructor(buffer: GuestBuffer, view: DataView) {
    super(buffer)
    charge(VIEW_BYTES)
    this.view = view
  }
}

/** Makes a typed array of zeroes over a buffer of its own. */
export function newTyped(kind: TypedKind, length: number): GuestTyped {
  const buffer = newBuffer(length * VIEWS[kind].BYTES_PER_ELEMENT)
  return new GuestTyped(kind, buffer, new VIEWS[kind](buffer.data))
}

/** The numbers of a view as one text. */
export function joinView(view: HostView, separator: string): string {
  const most = view.length * (NUMBER_TEXT + separator.length)
  burn(view.length * (120 + separator.length))
  charge(most + 24)
  const text = view.join(separator)
  live.memory += most - text.length
  const { stringLength } = live.machine.limits
  if (text.length > stringLength) throw limitStop('stringLength', stringLength)
  return noteMade(text)
}

/** Returns the bytes of a buffer or a view; undefined for other values. */
export function bytesOf(value: Guest): Uint8Array | undefined {
  if (value instanceof GuestBuffer) return new Uint8Array(value.data)
  if (!(value instanceof GuestTyped || value instanceof GuestDataView)) return undefined
  return new Uint8Array(value.buffer.data, value.view.byteOffset, value.view.byteLength)
}

/** `TextEncoder` and `TextDecoder`, for UTF-8. */
export class GuestTextCoder extends GuestNative {
  readonly receiver: 'textencoder' | 'textdecoder'
  readonly isFatal: boolean
  readonly ignoresMark: boolean

  constructor(receiver: 'textencoder' | 'textdecoder', isFatal = false, ignoresMark = false) {
    super()
    this.receiver = receiver
    this.isFatal = isFatal
    this.ignoresMark = ignoresMark
  }

  get type(): string {
    return this.receiver === 'textencoder' ? 'TextEncoder' : 'TextDecoder'
  }

  get bytes(): number {
    return 64
  }
}
