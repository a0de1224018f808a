/** A symbol. Keys of objects are texts, so it has a unique text, which starts with a noncharacter (U+FFFF); listings of keys omit such keys. */
export class GuestSymbol {
  readonly key: string
  readonly description: string | undefined

  constructor(key: string, description: string | undefined) {
    this.key = key
    this.description = description
  }

  get text(): string {
    return `Symbol(${this.description ?? ''})`
  }
}

/** The symbols of a program or of a session: unique ones by number, shared ones by name. */
export class SymbolRegistry {
  count = 0
  readonly shared: Map<string, GuestSymbol> = new Map()

  unique(description: string | undefined): GuestSymbol {
    this.count += 1
    return new GuestSymbol(`\uFFFF${this.count}`, description)
  }

  /** Returns the symbol of a deserialized key; `undefined` for a key that is not one of a symbol. */
  kept(key: string, description: string | undefined): GuestSymbol | undefined {
    const known = [...WELL_KNOWN.values()].find((symbol) => symbol.key === key)
    if (known !== undefined) return known
    if (key.startsWith('\uFFFF:')) return this.byName(key.slice(2))
    const number = /^\uFFFF(\d{1,15})$/.exec(key)?.[1]
    if (number === undefined) return undefined
    this.count = Math.max(this.count, Number(number))
    return new GuestSymbol(key, description)
  }

  byName(name: string): GuestSymbol {
    let found = this.shared.get(name)
    if (found === undefined) this.shared.set(name, (found = new GuestSymbol(`\uFFFF:${name}`, name)))
    return found
  }
}

/** Keys of the well-known symbols. */
export const ITERATOR = '\uFFFF@@iterator'
export const ASYNC_ITERATOR = '\uFFFF@@asyncIterator'

/** The supported well-known symbols, by name. */
export const WELL_KNOWN: ReadonlyMap<string, GuestSymbol> = new Map([
  ['iterator', new GuestSymbol(ITERATOR, 'Symbol.iterator')],
  ['asyncIterator', new GuestSymbol(ASYNC_ITERATOR, 'Symbol.asyncIterator')],
])

/** Whether a key is that of a symbol. */
export function isSymbolKey(key: string): boolean {
  return key.charCodeAt(0) === 0xffff
}

/** `Symbol.iterator` for its key; `undefined` for other keys. */
export function wellKnownName(key: string): string | undefined {
  if (!isSymbolKey(key)) return undefined
  return key === ITERATOR || key === ASYNC_ITERATOR ? `Symbol.${key.slice(3)}` : undefined
}
