import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { MandateError, messageOf } from '../core/index.ts'
import type { Ed25519Key } from '../core/index.ts'
import { headSigner } from '../journal/index.ts'
import type { HeadSigner } from '../journal/index.ts'

/** Creates a signer with the private key in a file: PEM (PKCS #8) or a JWK. Its id is the fingerprint of the public key. */
export function signerFrom(file: string): HeadSigner {
  const key = readKey(file, createPrivateKey)
  return headSigner({ privateKey: pemOf(key, 'pkcs8'), keyId: fingerprint(createPublicKey(key)) })
}

/** Reads the public key in a file: PEM (SPKI) or a JWK. From a private key it derives the public key. */
export function publicKeyFrom(file: string): Ed25519Key {
  return pemOf(readKey(file, createPublicKey), 'spki')
}

function readKey(file: string, create: typeof createPrivateKey | typeof createPublicKey): KeyObject {
  let key: KeyObject
  try {
    const text = readFileSync(file, 'utf8')
    key = create(text.trimStart().startsWith('{') ? { key: JSON.parse(text) as never, format: 'jwk' } : text)
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', `The key in ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new MandateError(
    'INPUT_INVALID',
    `${file} has a key of type ${key.asymmetricKeyType ?? 'unknown'}. Make one with: openssl genpkey -algorithm ed25519`,
  )
}

function pemOf(key: KeyObject, type: 'pkcs8' | 'spki'): string {
  return key.export({ type, format: 'pem' } as never) as string
}

function fingerprint(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
}
