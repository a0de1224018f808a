import { MandateError, messageOf } from '../errors.ts'
import { fromBase64, toBase64 } from '../media.ts'

/** An Ed25519 key: a WebCrypto key, a JWK, or PEM text (PKCS #8 for a private key, SPKI for a public one). */
export type Ed25519Key = CryptoKey | JsonWebKey | string

/** Signs a text; returns base64. Deterministic for the same key and text. */
export async function signText(key: Ed25519Key, text: string): Promise<string> {
  const imported = await importKey(key, 'sign')
  return toBase64(new Uint8Array(await crypto.subtle.sign('Ed25519', imported, new TextEncoder().encode(text))))
}

/** Whether a signature of exactly this text is valid for the key. A malformed signature is not. */
export async function isSignedBy(key: Ed25519Key, text: string, signature: string): Promise<boolean> {
  const imported = await importKey(key, 'verify')
  const bytes = bytesOf(signature)
  if (bytes === undefined) return false
  return crypto.subtle.verify('Ed25519', imported, bytes, new TextEncoder().encode(text))
}

async function importKey(key: Ed25519Key, use: 'sign' | 'verify'): Promise<CryptoKey> {
  try {
    if (typeof key === 'string') {
      const format = use === 'sign' ? 'pkcs8' : 'spki'
      return await crypto.subtle.importKey(format, readPem(key, use), 'Ed25519', false, [use])
    }
    if (isJwk(key)) return await crypto.subtle.importKey('jwk', jwkFor(key, use), 'Ed25519', false, [use])
  } catch (cause) {
    const what = use === 'sign' ? 'private' : 'public'
    throw new MandateError('INPUT_INVALID', `That is no Ed25519 ${what} key: ${messageOf(cause)}`, { cause })
  }
  return key
}

function isJwk(key: CryptoKey | JsonWebKey): key is JsonWebKey {
  return !(key instanceof CryptoKey)
}

/** A JWK for signing or verifying. A private JWK includes the public half; its `key_ops` and `use` are dropped because they may contradict the purpose. */
function jwkFor({ kty, crv, x, d }: JsonWebKey, use: 'sign' | 'verify'): JsonWebKey {
  const half = { kty: kty ?? '', crv: crv ?? '', x: x ?? '' }
  return use === 'sign' ? { ...half, d: d ?? '' } : half
}

const PEM = /-----BEGIN (PRIVATE|PUBLIC) KEY-----([A-Za-z0-9+/=\s]+)-----END \1 KEY-----/

function readPem(text: string, use: 'sign' | 'verify'): Uint8Array<ArrayBuffer> {
  const [, kind, body] = PEM.exec(text) ?? []
  const wanted = use === 'sign' ? 'PRIVATE' : 'PUBLIC'
  const bytes = kind === wanted ? bytesOf(body!.replaceAll(/\s/g, '')) : undefined
  if (bytes === undefined) throw new TypeError(`a text must begin with "-----BEGIN ${wanted} KEY-----".`)
  return bytes
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}
