import { MandateError, messageOf } from '../errors.ts'
import { fromBase64, toBase64 } from '../media.ts'

/** An Ed25519 key as a host has it: of WebCrypto, as a JWK, or as PEM text (PKCS #8 for a private one, SPKI for a public one). */
export type Ed25519Key = CryptoKey | JsonWebKey | string

/** Signs a text; the signature is base64. The same key and text give the same signature. */
export async function signText(key: Ed25519Key, text: string): Promise<string> {
  const imported = await importKey(key, 'sign')
  return toBase64(new Uint8Array(await crypto.subtle.sign('Ed25519', imported, new TextEncoder().encode(text))))
}

/** Whether the signature is the key's, for exactly this text. One that is no signature at all is simply not. */
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

/** A private JWK has the public half in it; what it says about its own use must not get in the way. */
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
