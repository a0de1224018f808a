import { readFileSync } from 'node:fs'

/** Version and homepage from package.json. The relative path is the same for the built files and the sources. */
export const PACKAGE: {
  readonly version: string
  readonly homepage: string
} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as typeof PACKAGE
