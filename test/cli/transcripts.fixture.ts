import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'vitest'
import { ROOT, store } from './mandate.fixture.ts'
import { rendered } from './terminal.fixture.ts'
import type { Terminal } from './terminal.fixture.ts'

const FOLDER = join(ROOT, 'test/cli/transcripts')

/** What differs from one execution, or from one machine, to the next, and what stands for it. Longer forms come before those that they contain. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/(sandbox: )[^]*?(?=\n(?:ok|WRONG) )/gu, '$1<isolation>'],
  [/http:\/\/127\.0\.0\.1:\S+/gu, '<url>'],
  [/\bmdt_[\w-]+/gu, '<token>'],
  [/\bfirst:\S+/gu, 'first:<key>'],
  [/\bv\d+\.\d+\.\d+\b/gu, '<version>'],
  [/\bmandate \d+\.\d+\.\d+\S*/gu, 'mandate <version>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, '<time>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gu, '<time>'],
  [/^\d{4}-\d\d-\d\d$/gmu, '<date>'],
  [/\b\d\d:\d\d:\d\d\b/gu, '<time>'],
  [/\b\d+ (?:s|min|h|d) ago|just now/gu, '<age>'],
  [/\bin \d+ (?:s|min|h|d)\b/gu, '<age>'],
  [/\b\d+(?:\.\d+)? m?s\b/gu, '<duration>'],
  [/"(?:durationMs|activeMs|at|expiresAt|wakeAt|updatedAt|createdAt)":\d+(?:\.\d+)?/gu, '<moment>'],
  [/\b[0-9a-f]{64}\b/gu, '<hash>'],
  [/\b[0-9a-f]{32}\b/gu, '<salt>'],
  [/\b[0-9a-f]{12,16}\b/gu, '<short hash>'],
]

/** A screen as it is kept: without what differs each time, and with columns two blanks apart, because their widths follow from that. */
function masked(screen: string): string {
  const ids = new Map<string, string>()
  const numbered = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`)
    return ids.get(id)!
  }
  const folder = join(store(), '..')
  // A path may be told from where the command was started.
  const told = rendered(screen).join('\n').replaceAll(relative(ROOT, folder), '<folder>')
  let text = told.replaceAll(folder, '<folder>').replaceAll(ROOT, '<root>/')
  text = text.replaceAll(/\b(?:run|eval|session|ses)_[0-9a-z]{20}\b/gu, numbered)
  for (const [form, stands] of MASKS) text = text.replaceAll(form, stands)
  return text.replaceAll(/(?<=\S) {2,}/gu, '  ').trimEnd()
}

/** Compares what a command showed with what is kept of it. `MANDATE_UPDATE=1` keeps what it shows now, for the diff to be read. */
export function expectTranscript(name: string, words: readonly string[], { code, screen }: Terminal): void {
  const path = join(FOLDER, `${name}.txt`)
  const typed = masked(words.join(' '))
  const text = `$ mandate ${typed}\n${masked(screen)}\n[exit ${code}]\n`
  if (process.env['MANDATE_UPDATE'] === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  expect(text, `${path} differs. MANDATE_UPDATE=1 keeps what is shown now.`).toBe(
    existsSync(path) ? readFileSync(path, 'utf8') : '',
  )
}
