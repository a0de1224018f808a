import { readFileSync } from 'node:fs'

/** What the package says of itself; it lies as far above the built files as above the sources. */
export const PACKAGE: {
  readonly version: string
  readonly homepage: string
} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as typeof PACKAGE
