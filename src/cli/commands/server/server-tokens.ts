import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { MandateError, messageOf, parseJson } from '../../../core/index.ts'
import type { ServerToken } from '../../../server/index.ts'

/** The tokens that a server accepts. */
export interface GivenTokens {
  readonly tokens: readonly ServerToken[]
  /** A token that was just created, to be shown once. */
  readonly made?: string | undefined
  /** The file with the tokens. */
  readonly file?: string | undefined
}

const OWNER = { id: 'local', roles: ['owner'] }
const OTHERS = 0o077

/**
 * Reads the tokens of a file that only its owner may read. A file that does not exist is created with one token for the owner. Without a file, there is one
 * token for this process.
 */
export async function tokensFor(file: string | undefined): Promise<GivenTokens> {
  if (file !== undefined && existsSync(file)) return { tokens: readTokens(file), file }
  const { newToken } = await import('../../../server/index.ts')
  const made = newToken()
  const tokens = [{ token: made, identity: OWNER }]
  if (file === undefined) return { tokens, made }
  // The flag `wx` prevents overwriting a file that was created meanwhile.
  writeFileSync(file, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  return { tokens, file, made }
}

function readTokens(file: string): readonly ServerToken[] {
  if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0)
    throw new MandateError(
      'CONFIG_INVALID',
      `Others can read ${file}, and whoever has a token of it can use the server. Run: chmod 600 ${file}`,
    )
  try {
    const tokens: unknown = parseJson(readFileSync(file, 'utf8'), file)
    if (Array.isArray(tokens) && tokens.length > 0) return tokens as readonly ServerToken[]
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `The tokens cannot be read: ${messageOf(cause)}`, { cause })
  }
  throw new MandateError(
    'CONFIG_INVALID',
    `${file} must hold a list of tokens: [{ "token": "…", "identity": { "id": "ana", "roles": ["owner"] } }]`,
  )
}
