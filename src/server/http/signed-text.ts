import { HmacKey, fromBase64, toBase64 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'

/** The maximum length of a text; longer texts were not issued here. */
const LENGTH_MAX = 8_192

/** A signed value and when it expires. */
interface Signed<T> {
  readonly value: T
  readonly expiresAt: number
}

/**
 * Signed texts that carry a value, expire, and are valid for one purpose: links, tickets, cookies. They use only characters that are safe in URLs and
 * cookies. The purpose is part of the signed data, so one secret can serve several purposes.
 */
export class SignedTexts<T extends Json> {
  readonly #key: HmacKey
  readonly #purpose: string

  constructor(key: HmacKey | string, purpose: string) {
    this.#key = typeof key === 'string' ? new HmacKey(new TextEncoder().encode(key)) : key
    this.#purpose = purpose
  }

  async make(value: T, expiresAt: number): Promise<string> {
    const said = urlSafe(toBase64(new TextEncoder().encode(JSON.stringify([expiresAt, value]))))
    return `${said}.${urlSafe(await this.#key.sign(this.#signed(said)))}`
  }

  /** Returns the content of a text that was issued for this purpose; undefined for any other. The caller must check whether it has expired. */
  async read(text: string): Promise<Signed<T> | undefined> {
    const [said = '', signature = '', ...rest] = text.split('.')
    if (rest.length > 0 || text.length > LENGTH_MAX || !(await this.#key.verify(signature, this.#signed(said))))
      return undefined
    const [expiresAt, value] = JSON.parse(new TextDecoder().decode(fromBase64(said))) as [number, T]
    return { value, expiresAt }
  }

  #signed(said: string): string {
    return `${this.#purpose}\n${said}`
  }
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
