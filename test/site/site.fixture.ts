import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, posix } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/** Serves a folder under a path, as any static host would. */
export async function serveFolder(
  folder: string,
  base: string,
): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = decodeURI(new URL(request.url ?? '/', 'http://x').pathname)
    const inside = path.startsWith(base) ? path.slice(base.length) : '?'
    const file = join(folder, posix.normalize(`/${inside}${inside === '' || inside.endsWith('/') ? 'index.html' : ''}`))
    const isFound = statSync(file, { throwIfNoEntry: false })?.isFile() === true
    response.writeHead(isFound ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
    response.end(isFound ? readFileSync(file) : 'not found')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The files of a built site that are pages. */
export function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.html') && !path.startsWith('pagefind/'))
    .toSorted()
}

/** Links of a built page that lead to no file of the site or to no element of its page, and what it would load from elsewhere. */
export function deadLinks(folder: string, page: string): string[] {
  const html = readFileSync(join(folder, page), 'utf8')
  const loaded = [...html.matchAll(/<(?:script|img|link|source|iframe)\b[^>]*?\s(?:src|srcset|href)="(https?:[^"]+)"/g)]
    .filter(([tag]) => !/rel="canonical"/.test(tag))
    .map(([, url]) => `${page}: loads ${url}`)
  const links = [...html.matchAll(/<[a-z]+\b[^>]*?\s(?:href|src)="([^"]+)"/g)].map((match) => unescape(match[1]!))
  return [...loaded, ...links.flatMap((link) => complaintAbout(link, { folder, page, html }))]
}

function unescape(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&#38;', '&').replaceAll('&#x26;', '&')
}

interface Place {
  readonly folder: string
  readonly page: string
  readonly html: string
}

function complaintAbout(link: string, { folder, page, html }: Place): string[] {
  if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link)) return []
  const [path = '', hash] = link.split('#')
  const here = `/${page.replace(/index\.html$/, '')}`
  const target = path === '' ? here : decodeURI(posix.join(path.startsWith('/') ? '/' : here, path.split('?')[0]!))
  const file = join(folder, target.endsWith('/') ? `${target}index.html` : target)
  if (path !== '' && !(existsSync(file) && statSync(file).isFile())) return [`${page}: ${link} leads nowhere`]
  if (hash === undefined || hash === '' || hash === '_top' || !file.endsWith('.html')) return []
  const text = path === '' ? html : readFileSync(file, 'utf8')
  return text.includes(`id="${decodeURIComponent(hash)}"`) ? [] : [`${page}: ${link}: no element has this id`]
}
