import { MandateError } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { checkEncryption } from '../encryption/index.ts'
import type { Encryption } from '../encryption/index.ts'

/** How to connect to a Redis server. */
export interface RedisOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. */
  readonly url: string
  /** The prefix of all keys; `mandate` by default. Several stores can share a server, each with its own prefix. */
  readonly prefix?: string | undefined
  /** How long to wait for a connection; 10 seconds by default. */
  readonly connectTimeoutMs?: number | undefined
  /** The time limit of a command; 10 seconds by default. */
  readonly commandTimeoutMs?: number | undefined
  /** How long calls wait for a server that was reachable before, until they fail with STORE_FAILED; 30 seconds by default. */
  readonly patienceMs?: number | undefined
  /** Encrypts values and templates. Names, times and sizes stay readable. */
  readonly encryption?: Encryption | undefined
}

export const REDIS_OPTIONS: FieldNames<RedisOptions> = {
  url: 'text',
  prefix: 'text',
  connectTimeoutMs: true,
  commandTimeoutMs: true,
  patienceMs: true,
  encryption: 'function|object',
}

/** The options with defaults. */
export interface LinkOptions {
  readonly url: string
  readonly prefix: string
  readonly connectTimeoutMs: number
  readonly commandTimeoutMs: number
  readonly patienceMs: number
  readonly encryption: Encryption | undefined
  /** The server and database without the password, for messages. */
  readonly name: string
}

/** Applies defaults and validates the options, before connecting. */
export function linkOptions(options: RedisOptions): LinkOptions {
  const { url, prefix = 'mandate' } = options
  const encryption = checkEncryption(options.encryption)
  const { connectTimeoutMs = 10_000, commandTimeoutMs = 10_000, patienceMs = 30_000 } = options
  const name = nameOf(url)
  if (!/^[\w:.{}-]{1,100}$/.test(prefix))
    throw invalid(`\`prefix\` is "${prefix}". Give letters, digits and \`_ : . - { }\`, at most 100.`)
  for (const [key, value] of Object.entries({ connectTimeoutMs, commandTimeoutMs, patienceMs }))
    if (!(Number.isFinite(value) && value >= 0))
      throw invalid(`\`${key}\` is ${String(value)}. Give a number of milliseconds from 0 up.`)
  return { url, prefix, connectTimeoutMs, commandTimeoutMs, patienceMs, encryption, name }
}

function nameOf(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'redis:' && parsed?.protocol !== 'rediss:')
    throw invalid('`url` must name a Redis server: `redis://user:password@host:6379/0`.')
  return `${parsed.protocol}//${parsed.host || 'localhost'}${parsed.pathname}`
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
