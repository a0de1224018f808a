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

/** Allows the page to load only its own files, and to run only its own scripts. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  // Texts never become code or markup: the page has no place for it, and browsers refuse one that a change or a library would add.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** One file of the build, as the build manifest lists it by the name of its source. */
interface Built {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** The built page, in memory, so that served files cannot change or disappear while the server runs. */
export class StudioFiles {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>()
  readonly #manifest: Readonly<Record<string, Built>>

  constructor(folder: string) {
    try {
      this.#manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Built>
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

  /** Returns a `link` header that makes browsers load all files of one part of the page in parallel instead of one after another. */
  preload(source: string): string {
    const seen = new Set<string>()
    const walk = (name: string): void => {
      const { file, css = [], imports = [] } = this.#manifest[name] ?? { file: '' }
      if (file === '' || seen.has(file)) return
      for (const each of [file, ...css]) seen.add(each)
      imports.forEach(walk)
    }
    walk(source)
    return [...seen]
      .map(
        (file) => `</${file}>; ${file.endsWith('.css') ? 'rel=preload; as=style' : 'rel=modulepreload'}; crossorigin`,
      )
      .join(', ')
  }

  /** Returns a file, or 404 if no file has that name. */
  answer(
    name: string,
    { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ): Response {
    const file = this.#files.get(name)
    if (file === undefined) return new Response('There is no such file.', { status: 404 })
    const type = TYPES[extname(name)]!
    return new Response(file, {
      status,
      headers: {
        ...headers,
        'content-type': type,
        'content-security-policy': CONTENT_POLICY,
        // Names of assets contain a hash of their content, so browsers can cache them and need not load and compile them again for each page.
        ...(name.startsWith('assets/') ? { 'cache-control': IMMUTABLE } : {}),
      },
    })
  }
}
