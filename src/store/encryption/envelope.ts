import { createCipheriv, createDecipheriv, createHmac, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** The first byte of every envelope, which identifies its format. */
const FORM = 1
const ID_BYTES = 8
const SALT_BYTES = 16
const COUNTER_BYTES = 6
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + SALT_BYTES
const START = HEADER_BYTES + COUNTER_BYTES
const NONCE_BYTES = 12
/** Scratch buffer, overwritten for every row and copied by its users; its first half stays zero. */
const nonce = Buffer.alloc(NONCE_BYTES)

/** The format byte, the id of the data key and the salt: the part of an envelope that all rows of one sealer share. */
export function headerOf(dataKey: string, salt: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(FORM), Buffer.from(dataKey, 'hex'), salt])
}

/** The header of an encrypted row; `undefined` for bytes that are no envelope. */
export function readHeader(sealed: Uint8Array): Buffer | undefined {
  if (sealed[0] !== FORM || sealed.length < START + TAG_BYTES) return undefined
  return Buffer.from(sealed.buffer, sealed.byteOffset, HEADER_BYTES)
}

/** The id of the data key in a header. */
export function dataKeyOf(header: Buffer): string {
  return header.toString('hex', 1, 1 + ID_BYTES)
}

/** The key that encrypts rows: derived per header, so that two writers with the same data key never share a nonce. */
export function rowKey(dataKey: Uint8Array, header: Uint8Array): KeyObject {
  // A `KeyObject`, because raw bytes would make every use three times as slow.
  return createSecretKey(createHmac('sha256', dataKey).update(header).digest())
}

/** The key of one sealer, its header, and a counter that must never repeat under that key. */
interface Sealer {
  readonly key: KeyObject
  readonly header: Buffer
  readonly count: number
}

/** Encrypts one row with AES-256-GCM; `at` is additional authenticated data. */
export function sealBytes({ key, header, count }: Sealer, plain: string | Uint8Array, at: string): Buffer {
  nonce.writeUIntBE(count, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(at))
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  cipher.final()
  return Buffer.concat([header, nonce.subarray(NONCE_BYTES - COUNTER_BYTES), body, cipher.getAuthTag()])
}

/** Decrypts a row; `undefined` if it was not encrypted with this key at this place. */
export function openBytes(key: KeyObject, sealed: Uint8Array, at: string): Buffer | undefined {
  nonce.set(sealed.subarray(HEADER_BYTES, START), NONCE_BYTES - COUNTER_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(at))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  const body = decipher.update(sealed.subarray(START, sealed.length - TAG_BYTES))
  try {
    decipher.final()
    return body
  } catch {
    return undefined
  }
}
