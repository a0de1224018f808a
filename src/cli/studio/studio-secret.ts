import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newToken } from '../../server/index.ts'

/**
 * Returns the secret that signs tickets and cookies of the studio. It is stored beside the runs, readable only by the owner, so that a browser stays signed in
 * when the command is restarted. For runs on a server there is no folder, so each start has a new secret.
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
