import { burn, charge, chargeText } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Receiver } from '../../value/builtin-table.ts'
import { toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestObject } from '../../value/guest-object.ts'
import {
  GuestBuffer,
  GuestDataView,
  GuestTextCoder,
  GuestTyped,
  TYPED_KINDS,
  type TypedKind,
  VIEWS,
  bytesOf,
  newBuffer,
  newTyped,
} from '../../value/native/guest-bytes.ts'
import { readProperty } from '../../value/prototypes/lookup.ts'
import { noteMade } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { textArgument, toInteger, toOffset } from '../argument-reads.ts'
import { itemCall } from '../callbacks.ts'
import { type Row, type Rows, functions, global } from '../constructors.ts'
import { arrayLikeItems } from '../iteration.ts'
import { typedGetters, typedMethods } from './typed-arrays.ts'

type Getter = (receiver: never) => Guest

function needsNew(name: string): never {
  throw thrown('TypeError', `Constructor ${name} requires 'new'`)
}

/** Reads a length or offset. Throws with this message if it is negative or too large. */
function indexOf(value: Guest, message: string): number {
  const index = toInteger(value)
  if (index < 0 || index > Number.MAX_SAFE_INTEGER) throw thrown('RangeError', message)
  return index
}

function filled(kind: TypedKind, items: readonly Guest[]): GuestTyped {
  const made = newTyped(kind, items.length)
  burn(items.length * 40)
  for (let i = 0; i < items.length; i += 1) made.view[i] = toNumber(items[i])
  return made
}

function overBuffer(kind: TypedKind, buffer: GuestBuffer, [, offset, length]: readonly Guest[]): Guest {
  const size = VIEWS[kind].BYTES_PER_ELEMENT
  const at = indexOf(offset, 'Start offset is too large')
  if (at % size !== 0) throw thrown('RangeError', `start offset of ${kind} should be a multiple of ${size}`)
  const { byteLength } = buffer.data
  if (length === undefined && byteLength % size !== 0)
    throw thrown('RangeError', `byte length of ${kind} should be a multiple of ${size}`)
  if (at > byteLength) throw thrown('RangeError', `Start offset ${at} is outside the bounds of the buffer`)
  const count = length === undefined ? (byteLength - at) / size : indexOf(length, 'Invalid typed array length')
  if (at + count * size > byteLength) throw thrown('RangeError', `Invalid typed array length: ${count}`)
  return new GuestTyped(kind, buffer, new VIEWS[kind](buffer.data, at, count))
}

function makeTyped(kind: TypedKind, args: readonly Guest[]): Guest {
  const [source] = args
  if (source instanceof GuestBuffer) return overBuffer(kind, source, args)
  if (source instanceof GuestTyped) {
    const made = newTyped(kind, source.view.length)
    burn(source.view.length * 20)
    made.view.set(source.view)
    return made
  }
  if (typeof source === 'object' && source !== null) return filled(kind, arrayLikeItems(source))
  return newTyped(kind, indexOf(source, `Invalid typed array length: ${typeof source === 'number' ? source : ''}`))
}

function fromItems(kind: TypedKind, [source, fn]: readonly Guest[]): Guest {
  const items = arrayLikeItems(source)
  if (fn === undefined) return filled(kind, items)
  const call = itemCall(fn, `${kind}.from`)
  const made = newTyped(kind, items.length)
  for (let i = 0; i < items.length; i += 1) {
    burn(40)
    made.view[i] = toNumber(call(items[i], i, undefined))
  }
  return made
}

const typedGlobals = TYPED_KINDS.map((kind): [string, BuiltinFunction] => [
  kind,
  global(kind, {
    arity: 3,
    call: () => needsNew(kind),
    construct: (args) => makeTyped(kind, args),
    members: new Map<string, Guest>([
      ...functions(kind, {
        from: [1, (_, args) => fromItems(kind, args)],
        of: [0, (_, args) => filled(kind, args)],
      }),
      ['BYTES_PER_ELEMENT', VIEWS[kind].BYTES_PER_ELEMENT],
    ]),
  }),
])

function makeBuffer([length, options]: readonly Guest[]): Guest {
  if (options instanceof GuestObject && options.has('maxByteLength'))
    throw refused('A buffer cannot be resized. Make a larger one: `new ArrayBuffer(size)`, and copy with `set`.')
  return newBuffer(indexOf(length, 'Invalid array buffer length'))
}

function bufferOf(receiver: Guest, method: string): GuestBuffer {
  if (receiver instanceof GuestBuffer) return receiver
  throw thrown('TypeError', `ArrayBuffer.${method} is called on something that is no ArrayBuffer`)
}

const bufferRows: Rows = {
  slice: [
    2,
    (receiver, [start, end]) => {
      const { data } = bufferOf(receiver, 'slice')
      const from = toOffset(start, data.byteLength, 0)
      const to = Math.max(from, toOffset(end, data.byteLength, data.byteLength))
      const made = newBuffer(to - from)
      new Uint8Array(made.data).set(new Uint8Array(data, from, to - from))
      return made
    },
  ],
}

function makeDataView([buffer, offset, length]: readonly Guest[]): Guest {
  if (!(buffer instanceof GuestBuffer))
    throw thrown('TypeError', 'First argument to DataView constructor must be an ArrayBuffer')
  const at = indexOf(offset, 'Start offset is outside the bounds of the buffer')
  const { byteLength } = buffer.data
  if (at > byteLength) throw thrown('RangeError', `Start offset ${at} is outside the bounds of the buffer`)
  const count = length === undefined ? byteLength - at : indexOf(length, 'Invalid DataView length')
  if (at + count > byteLength) throw thrown('RangeError', `Invalid DataView length ${count}`)
  return new GuestDataView(buffer, new DataView(buffer.data, at, count))
}

const NUMBERS = { Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Int32: 4, Uint32: 4, Float32: 4, Float64: 8 } as const
type NumberKind = keyof typeof NUMBERS

function dataViewOf(receiver: Guest, method: string): DataView {
  if (receiver instanceof GuestDataView) return receiver.view
  throw thrown('TypeError', `DataView.${method} is called on something that is no DataView`)
}

/** Returns the position of a number in a view. */
function placeIn(view: DataView, offset: Guest, kind: NumberKind): number {
  const at = indexOf(offset, 'Offset is outside the bounds of the DataView')
  if (at + NUMBERS[kind] > view.byteLength) throw thrown('RangeError', 'Offset is outside the bounds of the DataView')
  return at
}

function dataViewRows(kind: NumberKind): [string, Row][] {
  return [
    [
      `get${kind}`,
      [
        1,
        (receiver, [offset, isLittle]) => {
          const view = dataViewOf(receiver, `get${kind}`)
          return view[`get${kind}`](placeIn(view, offset, kind), Boolean(isLittle))
        },
      ],
    ],
    [
      `set${kind}`,
      [
        2,
        (receiver, [offset, value, isLittle]) => {
          const view = dataViewOf(receiver, `set${kind}`)
          const number = toNumber(value)
          view[`set${kind}`](placeIn(view, offset, kind), number, Boolean(isLittle))
          return undefined
        },
      ],
    ],
  ]
}

const UTF8 = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8'])

function makeDecoder([label, options]: readonly Guest[]): Guest {
  charge(64)
  const name = label === undefined ? 'utf-8' : textArgument(label)
  if (name.length > 40 || !UTF8.has(name.trim().toLowerCase()))
    throw refused('TextDecoder reads UTF-8 alone: write `new TextDecoder()`; bytes of latin1 are `String.fromCharCode(...bytes)`.') // prettier-ignore
  const option = (key: string): boolean => options instanceof GuestObject && Boolean(readProperty(options, key))
  return new GuestTextCoder('textdecoder', option('fatal'), option('ignoreBOM'))
}

function coderOf(receiver: Guest, kind: GuestTextCoder['receiver'], method: string): GuestTextCoder {
  if (receiver instanceof GuestTextCoder && receiver.receiver === kind) return receiver
  throw thrown('TypeError', `${method} is called on something that is no ${kind === 'textencoder' ? 'TextEncoder' : 'TextDecoder'}`) // prettier-ignore
}

function encode(receiver: Guest, [value]: readonly Guest[]): Guest {
  coderOf(receiver, 'textencoder', 'encode')
  const text = value === undefined ? '' : textArgument(value)
  // A unit of UTF-16 takes at most three bytes.
  charge(text.length * 3)
  burn(1_000 + text.length * 8)
  const bytes = new TextEncoder().encode(text)
  const made = newTyped('Uint8Array', bytes.length)
  made.view.set(bytes)
  return made
}

function decode(receiver: Guest, [value, options]: readonly Guest[]): Guest {
  const { isFatal, ignoresMark } = coderOf(receiver, 'textdecoder', 'decode')
  if (options instanceof GuestObject && readProperty(options, 'stream'))
    throw refused('Bytes are decoded whole: collect them in one Uint8Array, then `new TextDecoder().decode(bytes)`.')
  if (value === undefined) return ''
  const bytes = bytesOf(value)
  if (bytes === undefined)
    throw thrown('TypeError', 'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.') // prettier-ignore
  chargeText(bytes.length)
  burn(2_000 + bytes.length * 10)
  try {
    return noteMade(new TextDecoder('utf-8', { fatal: isFatal, ignoreBOM: ignoresMark }).decode(bytes))
  } catch {
    throw thrown('TypeError', 'The encoded data was not valid for encoding utf-8')
  }
}

/** `ArrayBuffer`, `DataView`, the typed arrays, `TextEncoder` and `TextDecoder`. */
export const bytesGlobals: ReadonlyMap<string, BuiltinFunction> = new Map<string, BuiltinFunction>([
  ...typedGlobals,
  [
    'ArrayBuffer',
    global('ArrayBuffer', {
      call: () => needsNew('ArrayBuffer'),
      construct: makeBuffer,
      members: functions('ArrayBuffer', {
        isView: [1, (_, args) => args[0] instanceof GuestTyped || args[0] instanceof GuestDataView],
      }),
    }),
  ],
  ['DataView', global('DataView', { call: () => needsNew('DataView'), construct: makeDataView })],
  [
    'TextEncoder',
    global('TextEncoder', {
      arity: 0,
      call: () => needsNew('TextEncoder'),
      construct: () => {
        charge(64)
        return new GuestTextCoder('textencoder')
      },
    }),
  ],
  ['TextDecoder', global('TextDecoder', { arity: 0, call: () => needsNew('TextDecoder'), construct: makeDecoder })],
])

/** Methods of bytes, by receiver. */
export const bytesMethods: readonly (readonly [Receiver, ReadonlyMap<string, BuiltinFunction>])[] = [
  ['typedarray', typedMethods],
  ['arraybuffer', functions('arraybuffer', bufferRows)],
  ['dataview', functions('dataview', Object.fromEntries((Object.keys(NUMBERS) as NumberKind[]).flatMap(dataViewRows)))],
  ['textencoder', functions('textencoder', { encode: [0, encode] })],
  ['textdecoder', functions('textdecoder', { decode: [0, decode] })],
]

/** Properties of bytes, by receiver. */
export const bytesGetters: readonly (readonly [Receiver, ReadonlyMap<string, Getter>])[] = [
  ['typedarray', typedGetters],
  ['arraybuffer', new Map<string, Getter>([['byteLength', ({ data }: GuestBuffer) => data.byteLength]])],
  [
    'dataview',
    new Map<string, Getter>([
      ['buffer', ({ buffer }: GuestDataView) => buffer],
      ['byteLength', ({ view }: GuestDataView) => view.byteLength],
      ['byteOffset', ({ view }: GuestDataView) => view.byteOffset],
    ]),
  ],
  ['textencoder', new Map<string, Getter>([['encoding', () => 'utf-8']])],
  [
    'textdecoder',
    new Map<string, Getter>([
      ['encoding', () => 'utf-8'],
      ['fatal', ({ isFatal }: GuestTextCoder) => isFatal],
      ['ignoreBOM', ({ ignoresMark }: GuestTextCoder) => ignoresMark],
    ]),
  ],
]
