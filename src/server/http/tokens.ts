import { MandateError, checkFields, sha256, systemClock, systemRandom } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { frozenIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'

/** A token and its identity. */
export interface ServerToken {
  /** The token itself, of at least 20 characters: letters, digits and `-._~+/=`. */
  readonly token?: string | undefined
  /** The SHA-256 of the token as hex digits instead, so that no file contains the token. */
  readonly hash?: string | undefined
  /** The identity in whose name requests with this token are carried out. */
  readonly identity: Identity
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** The server that the token is for. A server with another `audience` refuses it. */
  readonly audience?: string | undefined
}

const TOKEN: FieldNames<ServerToken> = {
  token: 'text',
  hash: 'text',
  identity: 'object',
  expiresAt: 'number',
  audience: 'text',
}
const TOKEN_MIN = 20
const TOKEN_SHAPE = /^[A-Za-z0-9._~+/-]+=*$/
const HASH_SHAPE = /^[0-9a-f]{64}$/
const TOKEN_BYTES = 32

/** Makes a token that cannot be guessed. */
export function newToken(): string {
  return `mdt_${systemRandom.hex(TOKEN_BYTES)}`
}

interface Grant {
  readonly hash: string
  readonly identity: Identity
  readonly expiresAt: number
  readonly revoked: AbortController
}

/** An authenticated caller, and a signal that is aborted when its token is revoked. */
export interface Known {
  readonly identity: Identity
  readonly revoked?: AbortSignal | undefined
}

/** The tokens of a server, stored as hashes and compared in constant time. */
export class Tokens {
  readonly #grants: Grant[]

  constructor(given: readonly ServerToken[], audience: string | undefined) {
    this.#grants = given
      .map((one) => [one, grantOf(one)] as const)
      .filter(([one]) => one.audience === undefined || one.audience === audience)
      .map(([, grant]) => grant)
  }

  find(authorization: string | null): Known | undefined {
    const [, token] = /^Bearer ([^ ]+)$/i.exec(authorization ?? '') ?? []
    if (token === undefined || !TOKEN_SHAPE.test(token)) return undefined
    const hash = sha256(token)
    const now = systemClock.now()
    let found: Grant | undefined
    // Compares all tokens, so that the time does not depend on which one matches.
    for (const grant of this.#grants) if (isEqual(grant.hash, hash) && grant.expiresAt > now) found = grant
    return found === undefined ? undefined : { identity: found.identity, revoked: found.revoked.signal }
  }

  /** Revokes a token at once, given as the token or its hash: streams that were opened with it end. Returns whether the token existed. */
  revoke(text: string): boolean {
    const hash = HASH_SHAPE.test(text) ? text : sha256(text)
    const at = this.#grants.findIndex((grant) => isEqual(grant.hash, hash))
    if (at === -1) return false
    const [grant] = this.#grants.splice(at, 1)
    grant!.revoked.abort()
    return true
  }
}

function grantOf(given: ServerToken): Grant {
  checkFields(given, 'a field of a token', TOKEN)
  const { token, hash, identity, expiresAt = Infinity } = given
  if ((token === undefined) === (hash === undefined)) throw invalid('A token needs either `token` or `hash`.')
  if (token !== undefined && !(token.length >= TOKEN_MIN && TOKEN_SHAPE.test(token)))
    throw invalid(
      `A token needs at least ${TOKEN_MIN} characters of A-Z a-z 0-9 - . _ ~ + /, so that it cannot be guessed. Make one with \`newToken()\`.`,
    )
  if (hash !== undefined && !HASH_SHAPE.test(hash))
    throw invalid('The `hash` of a token is its SHA-256, as 64 lower-case hex digits.')
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt))
    throw invalid('`expiresAt` of a token is a time in milliseconds since 1970.')
  return { hash: hash ?? sha256(token!), identity: frozenIdentity(identity), expiresAt, revoked: new AbortController() }
}

/** Compares two texts in a time that depends only on their length. */
function isEqual(first: string, second: string): boolean {
  let differs = first.length ^ second.length
  for (let at = 0; at < first.length; at++) differs |= first.charCodeAt(at) ^ second.charCodeAt(at)
  return differs === 0
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
