import { fromBase64, toBase64 } from '../media.ts'

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const

type Signed = string | Uint8Array<ArrayBuffer>

/** A key of HMAC-SHA256, through WebCrypto. */
export class HmacKey {
  readonly #key: Promise<CryptoKey>

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#key = crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign', 'verify'])
    // An invalid key is reported by the first signature.
    this.#key.catch(() => {})
  }

  /** The signature in base64. */
  async sign(what: Signed): Promise<string> {
    return toBase64(new Uint8Array(await crypto.subtle.sign(ALGORITHM.name, await this.#key, encoded(what))))
  }

  /** Whether this is the signature, in base64 of either alphabet. Compares in constant time. */
  async verify(signature: string, what: Signed): Promise<boolean> {
    let given: Uint8Array<ArrayBuffer>
    try {
      given = fromBase64(signature)
    } catch {
      return false
    }
    return crypto.subtle.verify(ALGORITHM.name, await this.#key, given, encoded(what))
  }
}

function encoded(what: Signed): Uint8Array<ArrayBuffer> {
  return typeof what === 'string' ? new TextEncoder().encode(what) : what
}
