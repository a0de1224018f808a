import { MandateError, checkFields, sha256 } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'

/** The host's keys of 32 bytes, by id, in the shape of a store's key ring. New runs use the current one; the others decrypt older data. */
export interface VaultKeys {
  readonly current: string
  readonly keys: Readonly<Record<string, Uint8Array>>
}

const VAULT_KEYS: FieldNames<VaultKeys> = { current: 'text', keys: 'object' }
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_DIGITS = 12

/** Throws on invalid keys, before anything is encrypted. */
export function checkVaultKeys(given: VaultKeys): VaultKeys {
  checkFields(given, 'a field of `vault`', VAULT_KEYS)
  const { current, keys } = (given ?? {}) as Partial<VaultKeys>
  const isRing =
    typeof current === 'string' && typeof keys === 'object' && keys !== null && Object.hasOwn(keys, current)
  const isWhole =
    isRing && Object.values(keys).every((key) => key instanceof Uint8Array && key.byteLength === KEY_BYTES)
  if (isWhole) return given
  throw new MandateError(
    'CONFIG_INVALID',
    '`vault` must be { current, keys: { [id]: 32 bytes } } with a key under the id of `current`, or a function that gives that.',
  )
}

/**
 * Encrypts texts of one run with AES-256-GCM, under a key derived from the host's and the run. Uses WebCrypto, so that it works on every platform.
 * The nonce is derived from the content: repeated randomness (in a seeded run) must not reuse a nonce for another text.
 */
export class Seals {
  readonly #cipher: CryptoKey
  readonly #nonceSecret: string
  readonly #tagSecret: string

  private constructor(cipher: CryptoKey, nonceSecret: string, tagSecret: string) {
    this.#cipher = cipher
    this.#nonceSecret = nonceSecret
    this.#tagSecret = tagSecret
  }

  static async for(key: Uint8Array, run: string): Promise<Seals> {
    const { subtle } = crypto
    const root = await subtle.importKey('raw', new Uint8Array(key), 'HKDF', false, ['deriveBits', 'deriveKey'])
    const from = (info: string): HkdfParams => {
      return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: new TextEncoder().encode(info) }
    }
    const secret = async (info: string): Promise<string> =>
      letters(new Uint8Array(await subtle.deriveBits(from(info), root, 256)))
    const aes = { name: 'AES-GCM', length: 256 }
    const cipher = await subtle.deriveKey(from(`mandate/vault/seal/${run}`), root, aes, false, ['encrypt', 'decrypt'])
    return new Seals(cipher, await secret(`mandate/vault/nonce/${run}`), await secret('mandate/vault/token'))
  }

  /** A keyed hash (HMAC): equal values of a scope have equal hashes, and without the key even short values cannot be brute-forced. */
  tag(scope: string, value: string): string {
    return sha256(`${this.#tagSecret}\n${scope}\n${value}`).slice(0, TAG_DIGITS)
  }

  /** Encrypts a text, bound to `place`: if it is moved, it cannot be decrypted. */
  async seal(place: string, text: string): Promise<string> {
    const digits = sha256(`${this.#nonceSecret}\n${place}\n${text}`)
    const nonce = Uint8Array.from({ length: NONCE_BYTES }, (_, at) =>
      Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
    )
    const sealed = await crypto.subtle.encrypt(params(nonce, place), this.#cipher, new TextEncoder().encode(text))
    return letters(nonce) + letters(new Uint8Array(sealed))
  }

  /** Decrypts a text of this place; `undefined` for anything else. */
  async open(place: string, sealed: string): Promise<string | undefined> {
    const bytes = fromLetters(sealed)
    if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined
    try {
      const nonce = bytes.slice(0, NONCE_BYTES)
      const text = await crypto.subtle.decrypt(params(nonce, place), this.#cipher, bytes.slice(NONCE_BYTES))
      return new TextDecoder().decode(text)
    } catch {
      return undefined
    }
  }
}

function params(iv: Uint8Array<ArrayBuffer>, place: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(place) }
}

const A = 97

/**
 * Encodes bytes as two letters each, `a` to `p`. Encrypted values are among texts that are scanned for secrets and personal data, where digits could
 * look like a card number.
 */
function letters(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(A + (byte >> 4), A + (byte & 15))
  return text
}

function fromLetters(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 !== 0 || !/^[a-p]*$/u.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => {
    return ((text.charCodeAt(at * 2) - A) << 4) | (text.charCodeAt(at * 2 + 1) - A)
  })
}
