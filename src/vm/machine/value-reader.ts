import { damaged, list, number, oddNumber, text, whole } from './serialized-parts.ts'
import type { Cell } from './serialized-parts.ts'
import { fromBase64 } from '../../core/index.ts'
import type { FunctionCode } from '../compile/code.ts'
import type { Compiled } from '../compile/compile.ts'
import { burn, charge, chargeString, live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import { BoundMethod } from '../value/native/bound-method.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { FULFILLED, GuestPromise, REJECTED } from '../value/guest-promise.ts'
import type { HeapLabel } from '../value/heap-label.ts'
import { isCallable } from '../value/convert.ts'
import { Accessor } from '../value/prototypes/extra.ts'
import { GuestAbortController, GuestAbortSignal } from '../value/native/guest-abort.ts'
import {
  GuestBuffer,
  GuestDataView,
  GuestTextCoder,
  GuestTyped,
  type TypedKind,
  VIEWS,
  newBuffer,
} from '../value/native/guest-bytes.ts'
import { UNSET } from '../compile/lower/scope.ts'
import { GuestSymbol, type SymbolRegistry, isSymbolKey } from '../value/symbols.ts'
import { FRAME_HEAD, newFrame } from './frame.ts'
import { CollectionIterator } from './iteration/collection-iterator.ts'
import { DONE, GuestGenerator, SUSPENDED } from './iteration/generator.ts'
import { Resolver } from './promises/promise-waiters.ts'
import { GuestSearchParams, GuestUrl, parseUrl } from '../value/native/guest-url.ts'
import { GuestWeak } from '../value/native/guest-weak.ts'
import {
  FORMAT_TYPES,
  type FormatKind,
  GuestFormat,
  GuestNative,
  type IteratorMode,
} from '../value/native/guest-native.ts'

/** Gives values of a session access to its variables and to the functions of its programs. */
interface ReaderSession {
  box(name: string): Box
  /** The codes of a program that the text refers to. */
  codes(program: number): readonly FunctionCode[]
  readonly symbols: SymbolRegistry
}

type Held = Guest | Box | Accessor

/**
 * Deserializes values: first allocates all of them empty, then fills them. Input is untrusted: everything is checked, and charged, before it is
 * allocated.
 */
export class ValueReader {
  readonly #compiled: Compiled
  readonly #cells: readonly Cell[]
  /** Upper bound of label bit sets. */
  readonly #labelEnd: number
  readonly #made: Held[] = []
  readonly #moved: [CollectionIterator, Cell][] = []
  readonly #byPath: ReadonlyMap<string, Guest>

  readonly #session: ReaderSession | undefined

  constructor(compiled: Compiled, cells: unknown, labelCount: number, session?: ReaderSession) {
    this.#compiled = compiled
    this.#session = session
    this.#labelEnd = 2 ** labelCount
    this.#byPath = builtinsByPath(compiled)
    this.#cells = list(cells).map((cell) => list(cell))
    for (const cell of this.#cells) {
      burn(50 + cell.length * 10)
      charge(64 + cell.length * 16)
      this.#made.push(this.#make(cell))
    }
    for (const [index, cell] of this.#cells.entries()) this.#fill(this.#made[index], cell)
    for (const value of this.#made) if (value instanceof GuestObject) checkChain(value)
    for (const [iterator, cell] of this.#moved) this.#fillIterator(iterator, cell)
  }

  /** Returns the value of a serialized one. Never a captured variable, which is not a value. */
  value(paper: unknown): Guest {
    const held = this.#held(paper)
    return held instanceof Box || held instanceof Accessor ? damaged('a variable stands where a value is wanted') : held
  }

  #held(paper: unknown): Held {
    switch (typeof paper) {
      case 'string':
        chargeString(paper.length)
        return paper
      case 'boolean':
      case 'number':
        return paper
      default:
        return paper === null ? null : this.#reference(list(paper))
    }
  }

  #reference(paper: Cell): Held {
    if (paper.length === 0) return undefined
    const [first, second] = paper
    if (first === 'n' && paper.length === 2) return oddNumber(second)
    if (first === 'v' && paper.length === 2 && this.#session !== undefined) return this.#session.box(text(second))
    if (paper.length !== 1) return damaged('a reference is of no known kind')
    const id = whole(first, this.#made.length)
    return this.#made[id]
  }

  #all(papers: Cell): Guest[] {
    if (papers.length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
    return papers.map((paper) => this.value(paper))
  }

  #make(cell: Cell): Held {
    switch (cell[0]) {
      case 'a':
        return new GuestArray([])
      case 'I':
        return new CollectionIterator(null, modeOf(cell[2]), text(cell[3]))
      case 'o':
        return new GuestObject(this.#compiled.root, [])
      case 'e':
        return new GuestError(text(list(cell[3])[0]), '')
      case 'm':
        return new GuestMap()
      case 'S':
        return new GuestSet()
      case 't':
        return new GuestDate(Number.NaN)
      case 'r':
        return new GuestRegExp(text(cell[2]), text(cell[3]))
      case 'B':
        return this.#byPath.get(text(cell[2])) ?? damaged('a built-in is not known here')
      case 'W':
        return new GuestWeak(text(cell[2]) === 'weakset' ? 'weakset' : 'weakmap')
      case 'F':
        return this.#format(cell)
      case 'U':
        return new GuestUrl(parseUrl(text(cell[2]), undefined) ?? damaged('a URL is none'))
      case 'Q':
        return new GuestSearchParams()
      case 'A':
        return bufferFrom(text(cell[2]))
      case 'T':
        return emptyTyped(text(cell[2]))
      case 'X':
        return new GuestAbortController()
      case 'G':
        return new GuestAbortSignal()
      case 'V':
        return new GuestDataView(newBuffer(0), new DataView(new ArrayBuffer(0)))
      case 'C':
        return new GuestTextCoder(
          text(cell[2]) === 'textdecoder' ? 'textdecoder' : 'textencoder',
          cell[3] === true,
          cell[4] === true,
        )
      case 'M':
        return this.#boundMethod(cell)
      case 'g':
        return new Accessor(undefined, undefined)
      case 'b':
        return new Box(undefined)
      case 'f': {
        const code = this.#compiled.codes[codeOf(cell[2], this.#compiled.codes.length)]!
        return new GuestFunction(code, [])
      }
      case 'q': {
        const codes = this.#session?.codes(whole(cell[2], Number.MAX_SAFE_INTEGER)) ?? []
        return new GuestFunction(codes[codeOf(cell[3], codes.length)]!, [])
      }
      case 'R':
        return new Resolver(new GuestPromise(), cell[2] === true)
      case 'P':
        return new GuestPromise()
      case 'y':
        return this.#symbol(cell)
      case 'Y':
        return this.#generator(cell)
      default:
        return damaged('a value is of no known kind')
    }
  }

  #boundMethod(cell: Cell): BoundMethod {
    // A bound method may be serialized before or after its format. The format is immutable, so a copy is created here.
    const method = this.#byPath.get(text(cell[2]))
    const format = this.#cells[whole(list(cell[3])[0], this.#cells.length)]!
    return method instanceof BuiltinFunction && method.builtin !== undefined && format[0] === 'F'
      ? new BoundMethod(method, this.#format(format))
      : damaged('a method has no format')
  }

  get #symbols(): SymbolRegistry {
    return this.#session?.symbols ?? live.machine.symbols
  }

  #symbol([, , key, description]: Cell): GuestSymbol {
    return (
      this.#symbols.kept(text(key), description === null ? undefined : text(description)) ?? damaged('a symbol is none')
    )
  }

  #generator(cell: Cell): GuestGenerator {
    const [, , program, id, state, boxes, length] = cell
    const codes = program === -1 ? this.#compiled.codes : (this.#session?.codes(whole(program, 1e9)) ?? [])
    const code = codes[whole(id, codes.length)]!
    if (!code.isGenerator || code.fn.isAsync) damaged('a generator has no function')
    code.resumable()
    const isSame = length === code.resumableSlots && boxes === code.fn.info!.captures.length
    const made = new GuestGenerator(code, newFrame(code.resumableSlots, []))
    // An ended generator has released its variables. One that was compiled differently cannot continue.
    if (!isSame || whole(state, 4) === DONE) made.abandon(whole(state, 4) !== DONE)
    return made
  }

  #fillGenerator(value: GuestGenerator, cell: Cell): void {
    const boxes = whole(cell[5], cell.length)
    const { frame } = value.active
    if (value.state === DONE) return
    const { resumableSlots } = value.active.code as FunctionCode
    if (cell.length !== 7 + boxes + resumableSlots - FRAME_HEAD) damaged('a generator lacks variables')
    frame[0] = cell.slice(7, 7 + boxes).map((paper) => {
      const box = this.#held(paper)
      return box instanceof Box ? box : damaged('a generator has no variables')
    })
    for (const [index, paper] of cell.slice(7 + boxes).entries())
      frame[index + FRAME_HEAD] = Array.isArray(paper) && paper[0] === 'u' ? UNSET : this.#held(paper)
    if (cell[4] === SUSPENDED) value.goOn()
    else if (cell[4] !== 0) damaged('a generator was running')
  }

  #format(cell: Cell): GuestFormat {
    const kind = text(cell[2])
    if (!Object.hasOwn(FORMAT_TYPES, kind)) damaged('a format is of no known kind')
    const options = text(cell[4])
    try {
      JSON.parse(options)
    } catch {
      damaged('the options of a format are no JSON')
    }
    return new GuestFormat(kind as FormatKind, text(cell[3]), options)
  }

  #fill(value: Held, cell: Cell): void {
    if (value instanceof Resolver) return this.#fillResolver(value, cell)
    if (value instanceof BuiltinFunction || value instanceof GuestSymbol) return
    if (value instanceof Accessor) return this.#fillAccessor(value, cell)
    if (value instanceof GuestGenerator) this.#fillGenerator(value, cell)
    else if (value instanceof CollectionIterator) this.#moved.push([value, cell])
    else if (value instanceof GuestArray) this.#fillArray(value, cell)
    else if (value instanceof GuestObject) this.#fillObject(value, cell)
    else if (value instanceof GuestMap) {
      const all = this.#all(cell.slice(2))
      if (all.length % 2 !== 0) damaged('a map lacks a value')
      for (let i = 0; i < all.length; i += 2) value.entries.set(all[i], all[i + 1])
    } else if (value instanceof GuestSet) for (const item of this.#all(cell.slice(2))) value.values.add(item)
    else if (value instanceof GuestDate) value.time = number(this.value(cell[2]))
    else if (value instanceof GuestRegExp) value.lastIndex = number(this.value(cell[4]))
    else if (value instanceof Box) value.value = this.value(cell[2])
    else if (value instanceof GuestFunction) this.#fillFunction(value, cell)
    else if (value instanceof GuestWeak) this.#fillWeak(value, cell)
    else if (value instanceof GuestUrl || value instanceof GuestSearchParams) this.#fillUrl(value, cell)
    else if (value instanceof GuestPromise) this.#fillPromise(value, cell)
    else if (value instanceof GuestTyped || value instanceof GuestDataView) this.#fillView(value, cell)
    else if (value instanceof GuestAbortController) {
      const signal = this.value(cell[2])
      value.signal = signal instanceof GuestAbortSignal ? signal : damaged('a controller has no signal')
    } else if (value instanceof GuestAbortSignal) {
      value.isAborted = cell[2] === true
      value.reason = this.value(cell[3])
    }
    ;(value as { label: HeapLabel }).label = this.#label(cell[1], value)
  }

  #fillPromise(value: GuestPromise, cell: Cell): void {
    value.state = whole(cell[2], 3) === REJECTED ? REJECTED : FULFILLED
    value.isResolved = true
    value.isHandled = true
    value.value = this.value(cell[3])
  }

  #fillResolver(value: Resolver, cell: Cell): void {
    const promise = this.value(cell[3])
    value.promise = promise instanceof GuestPromise ? promise : damaged('a resolver has no promise')
  }

  #fillWeak(value: GuestWeak, cell: Cell): void {
    const all = this.#all(cell.slice(3))
    if (all.length % 2 !== 0) damaged('a weak collection lacks a value')
    for (let i = 0; i < all.length; i += 2) value.entries.set(all[i], all[i + 1])
  }

  /** Creates a view over its buffer. */
  #fillView(value: GuestTyped | GuestDataView, cell: Cell): void {
    const [given, offset, length] = value instanceof GuestTyped ? cell.slice(3) : cell.slice(2)
    const buffer = this.value(given)
    if (!(buffer instanceof GuestBuffer)) return damaged('bytes have no buffer')
    const end = buffer.data.byteLength + 1
    const [from, count] = [whole(offset, end), whole(length, end)]
    value.buffer = buffer
    try {
      if (value instanceof GuestTyped) value.view = new VIEWS[value.kind](buffer.data, from, count)
      else value.view = new DataView(buffer.data, from, count)
    } catch {
      damaged('bytes are outside of their buffer')
    }
  }

  /** Fills a URL or its search parameters, which refer to each other. */
  #fillUrl(value: GuestUrl | GuestSearchParams, cell: Cell): void {
    if (value instanceof GuestUrl) {
      const params = this.value(cell[3])
      if (params instanceof GuestSearchParams) value.params = params
      else if (params !== undefined) damaged('the parameters of a URL are none')
      return
    }
    const url = this.value(cell[2])
    if (url instanceof GuestUrl) value.url = url
    else if (url !== undefined) damaged('search parameters belong to no URL')
    const texts = cell.slice(3).map(text)
    if (texts.length % 2 !== 0) damaged('search parameters lack a value')
    for (let i = 0; i < texts.length; i += 2) value.add(texts[i]!, texts[i + 1]!)
  }

  /** Moves an iterator to its position in its source. Called after everything else is filled. */
  #fillIterator(value: CollectionIterator, cell: Cell): void {
    const source = this.value(cell[5])
    if (source === null) return
    const isText = typeof source === 'string'
    const isNative = source instanceof GuestNative && source.count !== undefined
    const isList = source instanceof GuestArray || source instanceof GuestMap || source instanceof GuestSet
    if (!isText && !isNative && !isList) return damaged('an iterator goes through nothing that can be gone through')
    value.source = source as CollectionIterator['source']
    const place = whole(cell[4], Number.MAX_SAFE_INTEGER)
    burn(isText || source instanceof GuestArray ? 0 : place * 40)
    value.moveTo(place)
  }

  #fillArray(value: GuestArray, cell: Cell): void {
    const flags = whole(cell[2], 4)
    const named = this.value(cell[3])
    if (named instanceof GuestObject) value.named = named
    else if (named !== null) damaged('the named parts of a list are no object')
    const papers = cell.slice(4)
    if (papers.length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
    for (const paper of papers) {
      if (Array.isArray(paper) && paper[0] === 'h') value.items.length += 1
      else value.items.push(this.value(paper))
    }
    value.isFrozen = (flags & 1) !== 0
    // Holes are valid only in lists; the caller checks.
    value.hasGaps = (flags & 2) !== 0 || papers.some((paper) => Array.isArray(paper) && paper[0] === 'h')
  }

  #fillObject(value: GuestObject, cell: Cell): void {
    const extra: Cell = Array.isArray(cell[2]) ? cell[2] : [cell[2]]
    const integrity = whole(extra[0], 3)
    if (value instanceof GuestError) this.#fillError(value, list(cell[3]))
    const rest = cell.slice(value instanceof GuestError ? 4 : 3)
    if (rest.length % 2 !== 0) damaged('an object lacks a value')
    if (extra.length > 1) value.toDictionary()
    for (let i = 0; i < rest.length; i += 2) this.#fillProperty(value, text(rest[i]), rest[i + 1])
    if (extra.length > 1) this.#fillExtra(value, extra)
    if (integrity === 0) return
    value.toDictionary()
    value.more().integrity = integrity
  }

  #fillProperty(object: GuestObject, key: string, paper: unknown): void {
    const held = this.#held(paper)
    // The number of a unique symbol is reserved, even if no value refers to the symbol itself.
    if (isSymbolKey(key)) this.#symbols.kept(key, undefined)
    if (!(held instanceof Accessor)) return void object.setComputed(key, this.value(paper))
    object.setComputed(key, undefined)
    object.toDictionary().set(key, held as never)
    object.more().hasAccessors = true
  }

  #fillAccessor(value: Accessor, cell: Cell): void {
    const [get, set] = [this.value(cell[2]), this.value(cell[3])]
    for (const fn of [get, set]) if (fn !== undefined && !isCallable(fn)) damaged('an accessor is no function')
    value.get = get
    value.set = set
  }

  #fillExtra(value: GuestObject, paper: Cell): void {
    const extra = value.more()
    const [proto, privates] = [this.value(paper[1]), this.value(paper[2])]
    if (proto !== null && !(proto instanceof GuestObject)) return damaged('a prototype is no object')
    if (privates !== null && !(privates instanceof GuestObject)) return damaged('private properties are no object')
    extra.proto = proto
    extra.privates = privates
    extra.isBare = paper[6] === 1
    if (proto !== null) proto.more().isInUse = true
    const keys = [3, 4, 5].map((at) => list(paper[at]).map((key) => text(key)))
    const [hidden, fixed, sealed] = keys.map((all) => (all.length === 0 ? null : new Set(all)))
    extra.hidden = hidden ?? null
    extra.fixed = fixed ?? null
    extra.sealed = sealed ?? null
  }

  #fillError(value: GuestError, own: Cell): void {
    value.name = text(own[1])
    value.message = text(own[2])
    const code = text(own[3])
    if (code !== '') value.code = code
    value.cause = this.value(own[4])
    value.errors = this.value(own[5])
  }

  #fillFunction(value: GuestFunction, cell: Cell): void {
    const id = cell[cell[0] === 'q' ? 3 : 2]
    if (Array.isArray(id)) {
      const own = this.value((id as Cell)[1])
      if (!(own instanceof GuestObject)) return damaged('the properties of a function are no object')
      value.own = own
    }
    const papers = cell.slice(cell[0] === 'q' ? 4 : 3)
    // A function reads captured variables by index, so their number must match its code.
    if (papers.length !== (value.code as FunctionCode).fn.info!.captures.length) damaged('a function lacks variables')
    for (const paper of papers) {
      const box = this.#held(paper)
      if (!(box instanceof Box)) return damaged('a function has no variables')
      value.boxes.push(box)
    }
  }

  #label(paper: unknown, value: Held): HeapLabel {
    if (typeof paper === 'number') return whole(paper, this.#labelEnd)
    const isHolder = value instanceof GuestArray || value instanceof GuestObject || value instanceof GuestFunction
    if (!isHolder) return damaged('labels are of no known kind')
    const [all, any, parts, items] = list(paper)
    const bits = (given: unknown): number => whole(given, this.#labelEnd)
    return {
      whole: bits(all),
      all: bits(any),
      low: 0,
      parts: new Map(list(parts).map((part) => [text(list(part)[0]), bits(list(part)[1])])),
      items: list(items).map((given) => (given === -1 ? undefined : bits(given))),
    }
  }
}

function bufferFrom(base64: string): GuestBuffer {
  charge(base64.length)
  try {
    return new GuestBuffer(fromBase64(base64).buffer)
  } catch {
    return damaged('a buffer is no base64')
  }
}

function emptyTyped(kind: string): GuestTyped {
  if (!Object.hasOwn(VIEWS, kind)) return damaged('a typed array is of no known kind')
  return new GuestTyped(kind as TypedKind, newBuffer(0), new VIEWS[kind as TypedKind](new ArrayBuffer(0)))
}

/** Returns the index of a function, which is stored with its own properties if it has any. */
function codeOf(paper: unknown, end: number): number {
  return whole(Array.isArray(paper) ? (paper as Cell)[0] : paper, end)
}

/** Throws for a cycle of prototypes, which would be followed endlessly. */
function checkChain(object: GuestObject): void {
  const met = new Set<GuestObject>()
  for (let one: GuestObject | null = object; one !== null; one = one.extra?.proto ?? null) {
    burn(10)
    if (met.has(one)) damaged('a prototype is its own')
    met.add(one)
  }
}

function modeOf(value: unknown): IteratorMode {
  return value === 'keys' || value === 'values' || value === 'entries'
    ? value
    : damaged('an iterator is of no known kind')
}

/** All built-ins and capabilities by path. */
function builtinsByPath({ builtins, capabilities }: Compiled): Map<string, Guest> {
  const found = new Map<string, Guest>(capabilities)
  const add = (value: Guest): void => {
    if (!(value instanceof BuiltinFunction) || found.has(value.path)) return
    found.set(value.path, value)
    for (const member of value.members?.values() ?? []) add(member)
  }
  for (const rows of builtins.methods.values()) for (const method of rows.values()) add(method)
  for (const value of builtins.globals.values()) add(value)
  return found
}
