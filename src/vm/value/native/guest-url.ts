import { burn, charge, chargeString, live } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import type { Guest } from '../guest.ts'
import { GuestArray } from '../guest-array.ts'
import type { IteratorMode } from './guest-native.ts'
import { strictEquals } from '../operators.ts'
import { flat, noteMade, touch } from '../text/text.ts'
import { thrown } from '../thrown.ts'
import { GuestNative } from './guest-native.ts'

const PAIR_BYTES = 112
const URL_BYTES = 320
/** Longer texts are not useful URLs, and parsing them is not linear on every platform. */
const URL_LENGTH_MAX = 65_536
/** One character takes at most this many when it is percent-encoded. */
const GROWTH = 9

/** Properties of a URL that can be set. */
const WRITABLE = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']
export type UrlPart = 'href' | 'protocol' | 'username' | 'password' | 'host' | 'hostname' | 'port' | 'pathname' | 'search' | 'hash' // prettier-ignore

/** Parses a URL as the platform does, charged by its length; undefined if it is invalid. */
export function parseUrl(text: string, base: string | undefined): URL | undefined {
  payForUrl(text.length + (base?.length ?? 0))
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Charges units and bytes for one parse. Bytes reserved for percent-encoding are credited back. */
function payForUrl(length: number): void {
  if (length > URL_LENGTH_MAX)
    throw refused(`A URL has at most ${URL_LENGTH_MAX} characters. Keep long data apart from it, in a variable.`)
  burn(8_000 + length * 80)
  charge(length * GROWTH + URL_BYTES)
  live.memory += length * GROWTH
}

/** Encodes a name or value as in forms. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/%20|[!'()~]/g, (found) =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A URL. The platform parses and serializes it; programs only receive texts. */
export class GuestUrl extends GuestNative {
  readonly receiver = 'url' as const
  readonly type = 'URL'
  #host: URL
  /** Its `searchParams`, created on first use. */
  params: GuestSearchParams | undefined = undefined

  constructor(host: URL) {
    super()
    charge(host.href.length)
    this.#host = host
  }

  /** Its text, without charge, for host code. */
  get href(): string {
    return this.#host.href
  }

  get bytes(): number {
    return URL_BYTES + this.#host.href.length
  }

  override held(): readonly unknown[] {
    return this.params === undefined ? [] : [this.params]
  }

  override text(): string {
    return this.part('href')
  }

  /** A part of it as a text. */
  part(name: UrlPart | 'origin'): string {
    const text = this.#host[name]
    chargeString(text.length)
    return flat(text)
  }

  override write(key: string, value: Guest): boolean {
    if (key === 'origin' || key === 'searchParams')
      throw thrown('TypeError', `Cannot set property ${key} of [object URL] which has only a getter`)
    if (!WRITABLE.includes(key)) return false
    if (typeof value === 'object' && value !== null)
      throw refused(`\`${key}\` of a URL takes a text: write String(value).`)
    const text = String(value)
    touch(text)
    if (key === 'href') {
      const parsed = parseUrl(text, undefined)
      if (parsed === undefined) throw thrown('TypeError', 'Invalid URL')
      this.#host = parsed
    } else {
      payForUrl(this.#host.href.length + text.length)
      this.#host[key as UrlPart] = text
    }
    this.params?.read(this.#host.search)
    return true
  }

  /** Writes its query; called by its search parameters. */
  setQuery(text: string): void {
    payForUrl(this.#host.href.length + text.length)
    this.#host.search = text
  }
}

/** `URLSearchParams`: names and values in order; those of a URL change it. */
export class GuestSearchParams extends GuestNative {
  readonly receiver = 'urlsearchparams' as const
  readonly type = 'URLSearchParams'
  pairs: [name: string, value: string][] = []
  url: GuestUrl | undefined

  constructor(url?: GuestUrl) {
    super()
    charge(PAIR_BYTES)
    this.url = url
  }

  /** Shared with its URL, because writes to either are visible in the other. */
  protected override get labelled(): GuestNative | undefined {
    return this.url
  }

  get bytes(): number {
    return PAIR_BYTES * (1 + this.pairs.length)
  }

  override held(): readonly unknown[] {
    return [this.url, ...this.pairs.flat()]
  }

  override get count(): number {
    return this.pairs.length
  }

  override itemAt(index: number, mode: IteratorMode = 'entries'): Guest {
    burn(100)
    const [name, value] = this.pairs[index]!
    if (mode !== 'entries') return mode === 'keys' ? name : value
    charge(80)
    return new GuestArray([name, value])
  }

  override text(): string {
    const length = this.#length()
    burn(500 + length * 40 + this.pairs.length * 300)
    charge(length * GROWTH)
    const text = this.pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
    live.memory += length * GROWTH - text.length
    return noteMade(text)
  }

  #length(): number {
    let length = 0
    for (const [name, value] of this.pairs) length += name.length + value.length + 2
    return length
  }

  /** Takes the pairs of a query. */
  read(text: string): void {
    burn(1_000 + text.length * 120)
    charge(text.length * 2)
    this.pairs = Array.from(new URLSearchParams(text), ([name, value]) => [flat(name), flat(value)])
    charge(this.pairs.length * PAIR_BYTES)
  }

  add(name: string, value: string): void {
    burn(800 + (name.length + value.length) * 2)
    charge(PAIR_BYTES + name.length + value.length)
    this.pairs.push([name.toWellFormed(), value.toWellFormed()])
  }

  /** Whether a pair has a name and, if one is given, a value. */
  fits(index: number, name: string, value: string | undefined): boolean {
    burn(150)
    const [own, text] = this.pairs[index]!
    return strictEquals(own, name) && (value === undefined || strictEquals(text, value))
  }

  /** Updates the query of its URL. Must be called after a change. */
  changed(): void {
    this.url?.setQuery(this.text())
  }
}
