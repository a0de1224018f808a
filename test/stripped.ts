import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../.cache/stripped', import.meta.url))

/** A copy of a file without its types, for programs that tests start often and with an environment of their own, in which Node cannot keep
 *  what it made of them: removing the types takes longer than the rest of the start. The file imports nothing beside it. */
export function stripped(file: URL): string {
  const text = readFileSync(file, 'utf8')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const path = join(FOLDER, `${basename(file.pathname, '.ts')}-${hash}.mjs`)
  if (existsSync(path)) return path
  mkdirSync(FOLDER, { recursive: true })
  // Another worker may write it at the same time.
  const making = `${path}.${process.pid}`
  writeFileSync(making, stripTypeScriptTypes(text))
  renameSync(making, path)
  return path
}
