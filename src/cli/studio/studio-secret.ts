import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newToken } from '../../server/index.ts'

/**
 * What tickets and cookies of the studio are signed with. It is kept beside the runs, for its owner alone, so that a browser stays signed in when the
 * command is started again. Runs that are kept on a server have no folder: then each start has a secret of its own.
 */
export function studioSecret(dir: string): string {
  if (dir.includes('://')) return newToken()
  const file = join(dir, 'studio-secret')
  if (existsSync(file)) {
    chmodSync(file, 0o600)
    return readFileSync(file, 'utf8').trim()
  }
  mkdirSync(dir, { recursive: true })
  writeFileSync(file, `${newToken()}\n`, { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}
