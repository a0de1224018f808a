import type { Receiver } from '../builtin-table.ts'
import type { Guest } from '../guest.ts'

/** What an iterator returns for each item. */
export type IteratorMode = 'keys' | 'values' | 'entries'

/** Receivers whose values are objects of the platform. */
type NativeReceiver = Extract<
  Receiver,
  | ('timer' | 'weakmap' | 'weakset' | 'url' | 'urlsearchparams' | FormatKind)
  | ('abortcontroller' | 'abortsignal')
  | ('arraybuffer' | 'dataview' | 'textdecoder' | 'textencoder' | 'typedarray')
  | ('iterator' | 'iteratorhelper' | 'generator' | 'asyncgenerator')
>

/** Formats of `Intl`. */
export type FormatKind =
  | 'numberformat'
  | 'datetimeformat'
  | 'collator'
  | 'pluralrules'
  | 'listformat'
  | 'relativetimeformat'

/**
 * An object of the platform (a timer, a URL, a number format). Programs access its content only through its methods and properties; its label covers all of
 * it.
 */
export abstract class GuestNative {
  /** Its methods in the table of built-ins. */
  abstract readonly receiver: NativeReceiver
  /** The name of its type: `[object Timeout]`. */
  abstract readonly type: string
  /** Bytes charged for it, without the values that it refers to. */
  abstract get bytes(): number
  #label = 0

  /** Labels of its contents: one set of bits for all of it, and for what shares its contents. */
  get label(): number {
    return this.labelled?.label ?? this.#label
  }

  set label(bits: number) {
    if (this.labelled === undefined) this.#label = bits
    else this.labelled.label = bits
  }

  /** The object whose contents, and therefore whose label, it shares: the URL of search parameters, the buffer of a typed array. */
  protected get labelled(): GuestNative | undefined {
    return undefined
  }

  /** The number of items of a loop; undefined if it is not iterable. */
  get count(): number | undefined {
    return undefined
  }

  /** Whether its items are own properties by their index, as those of typed arrays are. */
  get isIndexed(): boolean {
    return false
  }

  /** Returns the item at an index, for a loop or an iterator of a mode. */
  itemAt(_index: number, _mode?: IteratorMode): Guest {
    return undefined
  }

  /** Sets a property; `false` if it has none of this name. */
  write(_key: string, _value: Guest): boolean {
    return false
  }

  /** The guest values that it refers to. */
  held(): readonly unknown[] {
    return []
  }

  /** Returns its text, as `String(value)` does. */
  text(): string {
    return `[object ${this.type}]`
  }
}

/** The types of formats, by their kind. */
export const FORMAT_TYPES: Readonly<Record<FormatKind, string>> = {
  numberformat: 'Intl.NumberFormat',
  datetimeformat: 'Intl.DateTimeFormat',
  collator: 'Intl.Collator',
  pluralrules: 'Intl.PluralRules',
  listformat: 'Intl.ListFormat',
  relativetimeformat: 'Intl.RelativeTimeFormat',
}

/** A format of `Intl`: its locale and its options. Immutable, with cached parsed options. */
export class GuestFormat extends GuestNative {
  readonly receiver: FormatKind
  readonly locale: string
  /** JSON of the options. */
  readonly options: string
  engine: unknown = undefined

  constructor(receiver: FormatKind, locale: string, options: string) {
    super()
    this.receiver = receiver
    this.locale = locale
    this.options = options
  }

  get type(): string {
    return FORMAT_TYPES[this.receiver]
  }

  get bytes(): number {
    return 128 + this.options.length
  }
}
