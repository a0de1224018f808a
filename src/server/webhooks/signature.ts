import { HmacKey, MandateError, fromBase64 } from '../../core/index.ts'

/** The headers of a signed delivery, as the Standard Webhooks specification names them. */
const HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const

/** So old or so far ahead a delivery may be, in seconds. What is repeated within this time is known by its id. */
const TOLERANCE_SECONDS = 300
const SECRET_CHARS = 24
const ID = /^[\x21-\x7e]{1,256}$/

/** Reads a secret: `whsec_` and base64, or a text of at least 24 characters. */
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

/** The headers of a delivery. Every attempt is signed anew, because the time is a part of what is signed; the id stays. */
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

/** The id of a delivery whose signature and time are right. The header may hold several signatures, for keys that are being replaced. */
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
