import type { Receiver } from '../builtin-table.ts'

/** Receivers whose values are objects of the platform. */
type NativeReceiver = Extract<Receiver, 'timer' | 'weakmap' | 'weakset' | FormatKind>

/** Formats of `Intl`. */
export type FormatKind =
  | 'numberformat'
  | 'datetimeformat'
  | 'collator'
  | 'pluralrules'
  | 'listformat'
  | 'relativetimeformat'

/**
 * An object of the platform (a timer, a URL, a number format). Programs reach what it holds through its methods and properties alone;
 * its label covers all of it.
 */
export abstract class GuestNative {
  /** Its methods in the table of built-ins. */
  abstract readonly receiver: NativeReceiver
  /** The name of its type: `[object Timeout]`. */
  abstract readonly type: string
  /** Bytes charged for it, without the values that it refers to. */
  abstract get bytes(): number
  label = 0

  /** The guest values that it refers to. */
  held(): readonly unknown[] {
    return []
  }

  /** Its text, as `String(value)` gives it. */
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

/** A format of `Intl`: its locale and its options. It never changes, and what was read from the options is cached beside it. */
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
