import { readFileSync, statSync } from 'node:fs'
import { MandateError, messageOf, systemRandom, checkFields, checkKind } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'

const KEY_BYTES = 32

/** The host's keys, by id. The current one encrypts; the others only decrypt older data. */
export interface KeyRing {
  readonly current: string
  readonly keys: Readonly<Record<string, Uint8Array>>
}

const KEY_RING: FieldNames<KeyRing> = { current: 'text', keys: 'object' }

/** The keys of a store: the ring itself, or a function that fetches it when the store is opened. */
export type Encryption = KeyRing | (() => KeyRing | Promise<KeyRing>)

/**
 * Parses keys from a text: `id:key`, one per line or separated by commas; the first is the current one. A key is 32 bytes in base64 or hex.
 *
 * @example
 * ```ts
 * import { keyRing, newKey, sqliteJournal } from 'mandate/sqlite'
 * const ring = keyRing(`2026-11:${newKey()}`)
 * const journal = sqliteJournal({ path: 'journal.db', encryption: ring })
 * ```
 */
export function keyRing(text: string, source = 'The key ring'): KeyRing {
  checkKind(text, 'text', 'The text of a key ring')
  const lines = text.split(/[\n,]/u).map((line) => line.replace(/#.*$/u, '').trim())
  const pairs = lines.filter((line) => line !== '').map((line, index) => parseKey(line, index + 1, source))
  const [first] = pairs
  if (first === undefined)
    throw new MandateError('CONFIG_INVALID', `${source} is empty. Write \`id:key\`, the key being 32 bytes in base64.`)
  const keys: Record<string, Uint8Array> = Object.fromEntries(pairs)
  if (Object.keys(keys).length < pairs.length)
    throw new MandateError('CONFIG_INVALID', `${source} names an id twice. Give every key an id of its own.`)
  return { current: first[0], keys }
}

/** Reads a key ring from a file, which must be readable by its owner only. */
export function keyRingFromFile(path: string): KeyRing {
  let text: string
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) throw new Error('others may read it')
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new MandateError(
      'CONFIG_INVALID',
      `The key file ${path} cannot be used: ${messageOf(cause)}. Name a file of lines \`id:key\` that only you may read (chmod 600), or read it yourself and give \`keyRing(text)\`.`,
      { cause },
    )
  }
  return keyRing(text, `The key file ${path}`)
}

/** The key ring in the environment: in `MANDATE_KEYS` itself, or in the file `MANDATE_KEY_FILE`. `undefined` if neither is set. */
export function keyRingFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): KeyRing | undefined {
  checkKind(environment, 'object', 'The environment of a key ring')
  // An empty variable counts as unset, as in environment files.
  const keys = environment['MANDATE_KEYS'] || undefined
  const file = environment['MANDATE_KEY_FILE'] || undefined
  if (keys !== undefined && file !== undefined)
    throw new MandateError('CONFIG_INVALID', 'MANDATE_KEYS and MANDATE_KEY_FILE are both set. Unset one of them.')
  if (keys !== undefined) return keyRing(keys, 'MANDATE_KEYS')
  return file === undefined ? undefined : keyRingFromFile(file)
}

/** A new key, as text for a key ring. */
export function newKey(): string {
  return Buffer.from(systemRandom.hex(KEY_BYTES), 'hex').toString('base64')
}

/** Fetches and validates the ring before anything is opened. */
export async function readRing(encryption: Encryption): Promise<KeyRing> {
  return checkRing(typeof encryption === 'function' ? await encryption() : encryption)
}

/** Refuses an invalid ring before anything is opened; one that a function gives is checked when it has given it. */
export function checkEncryption(encryption: Encryption | undefined): Encryption | undefined {
  return encryption === undefined || typeof encryption === 'function' ? encryption : checkRing(encryption)
}

/** Throws on an invalid ring; a callback may return anything. */
export function checkRing(ring: KeyRing): KeyRing {
  checkFields(ring, 'a field of a key ring', KEY_RING)
  const { current, keys } = (ring ?? {}) as Partial<KeyRing>
  if (typeof keys !== 'object' || keys === null || typeof current !== 'string' || !Object.hasOwn(keys, current))
    throw new MandateError(
      'CONFIG_INVALID',
      `The key ring has no key with the id of its \`current\` one (${JSON.stringify(current)}). Give { current, keys: { [id]: 32 bytes } }.`,
    )
  for (const [id, key] of Object.entries(keys)) checkKey(id, key, 'The key ring')
  return { current, keys }
}

function parseKey(line: string, number: number, source: string): [string, Uint8Array] {
  const colon = line.indexOf(':')
  const id = line.slice(0, Math.max(colon, 0)).trim()
  const text = line.slice(colon + 1).trim()
  // The text is not quoted in the message, because it may be a key.
  if (id === '')
    throw new MandateError(
      'CONFIG_INVALID',
      `${source}: key ${number} has no id. Write \`id:key\`, as in \`2026-11:…\`.`,
    )
  const bytes = /^[0-9a-f]{64}$/iu.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  checkKey(id, bytes, source)
  // A copy, because sending a pooled buffer to the thread of a store would send the whole pool.
  return [id, new Uint8Array(bytes)]
}

/** Refuses an id that no ring could read. */
export function checkKeyId(id: string, source: string): void {
  if (/^[\w.-]{1,64}$/u.test(id)) return
  throw new MandateError('CONFIG_INVALID', `${source}: an id of a key may have letters, digits, ".", "_" and "-".`)
}

function checkKey(id: string, key: unknown, source: string): void {
  checkKeyId(id, source)
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES)
    throw new MandateError(
      'CONFIG_INVALID',
      `${source}: the key "${id}" does not have 32 bytes. Make one with: openssl rand -base64 32`,
    )
}
