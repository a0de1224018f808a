import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { RunFile } from '../agent/index.ts'
import { MandateError } from '../core/index.ts'

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  json: 'application/json',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
}

/** Reads the files attached to a prompt. */
export async function readAttachments(paths: readonly string[]): Promise<readonly RunFile[]> {
  return Promise.all(paths.map(readAttachment))
}

async function readAttachment(path: string): Promise<RunFile> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) throw new MandateError('INPUT_INVALID', `--file: there is no file ${path}.`)
  const data = await readFile(path)
  return { data, mediaType: typeOf(path, data), filename: basename(path) }
}

/** Returns the media type for the file extension. Without a known extension, valid UTF-8 counts as plain text. */
function typeOf(path: string, data: Uint8Array): string {
  const known = TYPES[extname(path).slice(1).toLowerCase()]
  if (known !== undefined) return known
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(data)
    return 'text/plain'
  } catch {
    return 'application/octet-stream'
  }
}
