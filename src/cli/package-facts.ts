import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Version and homepage from package.json. The relative path is the same for the built files and the sources. */
export const PACKAGE: {
  readonly version: string
  readonly homepage: string
} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as typeof PACKAGE

/** The page about errors that is installed with the package, as a path from here; `undefined` where there is none. */
export function localPage(): string | undefined {
  const path = fileURLToPath(new URL('../../docs/errors.md', import.meta.url))
  if (!existsSync(path)) return undefined
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}
