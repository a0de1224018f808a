import { canonical, isSignedBy, signText } from '../../core/index.ts'
import type { Ed25519Key, Json } from '../../core/index.ts'
import type { Head } from '../entry.ts'

/** The version of the signed text. */
const VERSION = 1

/**
 * The head of a run, signed with a key that the owner of the journal does not have. Kept elsewhere, it detects a run that was rewritten or truncated,
 * even with recomputed hashes.
 */
export interface SignedHead extends Head {
  /** The version of the format. */
  readonly v: number
  /** The run of the head. */
  readonly run: string
  /** Which key signed it. */
  readonly keyId: string
  /** Ed25519, in base64, over the text that `headText` gives. */
  readonly signature: string
}

/** Signs heads. A host may implement its own, for example with a key service. */
export interface HeadSigner {
  /** Names the key, so that verifiers find its public half. */
  readonly keyId: string
  /** Signs the head of a run. */
  sign(run: string, head: Head): Promise<SignedHead>
  /** Signs a text (Ed25519, base64). If present, answers to approvals get a signature of the host that received them. */
  signText?(text: string): Promise<string>
}

/** Public keys by their ids; or a single key for every id. */
export type PublicKeys = Ed25519Key | { readonly [keyId: string]: Ed25519Key }

/**
 * Creates a signer of heads from an Ed25519 private key.
 *
 * @example
 * ```ts
 * import { GENESIS, headSigner, verifyHead } from 'mandate/journal'
 * const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
 * const signer = headSigner({ privateKey, keyId: 'audit-2026' })
 * const signed = await signer.sign('run_1', GENESIS)
 * await verifyHead(signed, { 'audit-2026': publicKey }) // { valid: true }
 * ```
 */
export function headSigner({
  privateKey,
  keyId,
}: {
  readonly privateKey: Ed25519Key
  readonly keyId: string
}): HeadSigner {
  return {
    keyId,
    async sign(run, { seq, hash, at }) {
      const head = { v: VERSION, run, seq, hash, at, keyId }
      return { ...head, signature: await signText(privateKey, headText(head)) }
    },
    signText: (text) => signText(privateKey, text),
  }
}

/** The signed text: a prefix that no other signature of the same key has, and the head in canonical JSON. */
function headText({ v, run, seq, hash, at, keyId }: Omit<SignedHead, 'signature'>): string {
  return `mandate-head:${canonical({ v, run, seq, hash, at, keyId })}`
}

type HeadCheck = { readonly valid: true } | { readonly valid: false; readonly problem: string }

/** Verifies that a known key has signed a head. */
export async function verifyHead(signed: SignedHead, publicKeys: PublicKeys): Promise<HeadCheck> {
  if (signed.v !== VERSION) return invalid(`its version is ${String(signed.v)}, and this build knows ${VERSION}`)
  const key = keyFor(signed.keyId, publicKeys)
  if (key === undefined) return invalid(`the key "${signed.keyId}" is not known here`)
  return (await isSignedBy(key, headText(signed), signed.signature))
    ? { valid: true }
    : invalid(`the signature is not one of the key "${signed.keyId}" for this head`)
}

function invalid(why: string): HeadCheck {
  return { valid: false, problem: `The signed head cannot be trusted: ${why}.` }
}

/** The known key with that id. */
export function keyFor(keyId: string, keys: PublicKeys): Ed25519Key | undefined {
  if (typeof keys === 'string' || isKey(keys)) return keys
  return Object.hasOwn(keys, keyId) ? keys[keyId] : undefined
}

function isKey(keys: Exclude<PublicKeys, string>): keys is CryptoKey | JsonWebKey {
  return keys instanceof CryptoKey || keys['kty'] === 'OKP'
}

const FIELDS: readonly [keyof SignedHead, string][] = [
  ['v', 'number'],
  ['run', 'string'],
  ['seq', 'number'],
  ['hash', 'string'],
  ['at', 'number'],
  ['keyId', 'string'],
  ['signature', 'string'],
]

/** Whether a line of an export is a signed head and not an entry. */
export function isSignedHead(value: Json | object): value is SignedHead & Json {
  const record = value as { readonly [F in keyof SignedHead]?: unknown } | null
  return typeof record === 'object' && record !== null && FIELDS.every(([field, type]) => typeof record[field] === type)
}
