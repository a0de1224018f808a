import { createCipheriv, createDecipheriv, createHmac, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** The first byte of everything that is sealed, so that a later form can be told apart. */
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

/** The form byte, the id of the data key and the salt: the part of an envelope that every row of one sealer shares. */
export function headerOf(dataKey: string, salt: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(FORM), Buffer.from(dataKey, 'hex'), salt])
}

/** The header of a sealed row; undefined for bytes that are no envelope of ours. */
export function readHeader(sealed: Uint8Array): Buffer | undefined {
  if (sealed[0] !== FORM || sealed.length < START + TAG_BYTES) return undefined
  return Buffer.from(sealed.buffer, sealed.byteOffset, HEADER_BYTES)
}

/** The id of the data key that a header names. */
export function dataKeyOf(header: Buffer): string {
  return header.toString('hex', 1, 1 + ID_BYTES)
}

/** The key that rows are really sealed with: one per header, so that two writers with the same data key never meet in a nonce. */
export function rowKey(dataKey: Uint8Array, header: Uint8Array): KeyObject {
  // As an object, because given as bytes every use would cost three times as much.
  return createSecretKey(createHmac('sha256', dataKey).update(header).digest())
}

/** What seals: a key, the header that names it, and a count that must never repeat under that key. */
interface Sealer {
  readonly key: KeyObject
  readonly header: Buffer
  readonly count: number
}

/** AES-256-GCM over one row. `at` is bound to it. */
export function sealBytes({ key, header, count }: Sealer, plain: string | Uint8Array, at: string): Buffer {
  nonce.writeUIntBE(count, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(at))
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  cipher.final()
  return Buffer.concat([header, nonce.subarray(NONCE_BYTES - COUNTER_BYTES), body, cipher.getAuthTag()])
}

/** The row as it was sealed at this place; undefined when it was not, or not there. */
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
