import { readFileSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { MandateError } from '../../core/index.ts'
import { IMMUTABLE } from '../http/security-headers.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The page loads nothing from elsewhere and runs no script but its own files. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The built page, in memory: what is given out cannot change or vanish under a server that runs. */
export class StudioFiles {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>()

  constructor(folder: string) {
    try {
      for (const name of [
        'index.html',
        'icon.svg',
        ...readdirSync(join(folder, 'assets')).map((file) => `assets/${file}`),
      ])
        if (TYPES[extname(name)] !== undefined) this.#files.set(name, new Uint8Array(readFileSync(join(folder, name))))
    } catch (error) {
      throw new MandateError(
        'CONFIG_INVALID',
        `The page of the studio is not in ${folder}. In a clone, build it: npm run build:studio.`,
        { cause: error },
      )
    }
  }

  /** One file, or nothing where there is none of that name. */
  answer(name: string, status = 200): Response {
    const file = this.#files.get(name)
    if (file === undefined) return new Response('There is no such file.', { status: 404 })
    const type = TYPES[extname(name)]!
    return new Response(file, {
      status,
      headers: {
        'content-type': type,
        'content-security-policy': CONTENT_POLICY,
        // The build names these by their content. Loaded and compiled again for each page, they took longer than the page.
        ...(name.startsWith('assets/') ? { 'cache-control': IMMUTABLE } : {}),
      },
    })
  }
}
