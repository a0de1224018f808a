import { HmacKey, MandateError, fromBase64 } from '../../core/index.ts'

/** The headers of a signed delivery, as the Standard Webhooks specification names them. */
const HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const

/** The maximum difference between the time of a delivery and the clock, in seconds. Replays within this time are detected by the id. */
const TOLERANCE_SECONDS = 300
const SECRET_CHARS = 24
const ID = /^[\x21-\x7e]{1,256}$/

/** Parses a secret: `whsec_` and base64, or a text of at least 24 characters. */
export function signingKey(secret: string, what: string): HmacKey {
  const bytes = bytesOf(secret)
  if (bytes !== undefined) return new HmacKey(bytes)
  throw new MandateError(
    'CONFIG_INVALID',
    `${what} must be "whsec_" and base64, or a text of at least ${SECRET_CHARS} characters. Make one with \`newToken()\`.`,
  )
}

function bytesOf(secret: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof secret !== 'string' || secret.length < SECRET_CHARS) return undefined
  if (!secret.startsWith('whsec_')) return new TextEncoder().encode(secret)
  try {
    return fromBase64(secret.slice('whsec_'.length))
  } catch {
    return undefined
  }
}

/** Returns the headers of a delivery. Every attempt is signed again, because the signature covers the time; the id stays the same. */
export async function signedHeaders(
  key: HmacKey,
  id: string,
  nowMs: number,
  body: string,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signature = await key.sign(`${id}.${timestamp}.${body}`)
  return { [HEADERS.id]: id, [HEADERS.timestamp]: timestamp, [HEADERS.signature]: `v1,${signature}` }
}

/** Returns the id of a delivery if its signature and time are valid. The header may contain several signatures, for key rotation. */
export async function verifiedId(
  key: HmacKey,
  headers: Headers,
  bytes: Uint8Array,
  nowMs: number,
): Promise<string | undefined> {
  const id = headers.get(HEADERS.id) ?? ''
  const timestamp = headers.get(HEADERS.timestamp) ?? ''
  const signatures = (headers.get(HEADERS.signature) ?? '').split(' ').slice(0, 8)
  if (!ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return undefined
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return undefined
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)
  for (const signature of signatures)
    if (signature.startsWith('v1,') && (await key.verify(signature.slice('v1,'.length), signed))) return id
  return undefined
}
