import { HmacKey, fromBase64, toBase64 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'

/** A text is read no further than this: whatever is longer was not made here. */
const LENGTH_MAX = 8_192

/** What a text was signed for, and until when it holds. */
interface Signed<T> {
  readonly value: T
  readonly expiresAt: number
}

/**
 * Texts that carry something, expire, and hold for one purpose: links, tickets, cookies. They are made of characters that addresses and cookies take. The
 * purpose is a part of what is signed, so that one secret may serve several.
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

  /** What a text carries that was made here for this purpose; undefined for any other. Whether it has expired is for the caller to say. */
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
