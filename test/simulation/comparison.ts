import { canonical } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { readAll, readStart } from '../../src/journal/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'

/** Facts about how it went, which may differ: when, how often, under which of two equally good names. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  'hash',
  'asked',
  'at',
  'until',
  'durationMs',
  'activeMs',
  'expiresAt',
  'meta',
  'seed',
  'request',
  'parent',
  'child',
  'reserved',
  'spent',
  'sessionId',
  'decision',
  'epoch',
])

/**
 * A journal tree as a sorted list of lines, without what crashes leave behind (retries, resumes, suspensions, what was asked about effects in doubt)
 * and without the order of entries that do not depend on each other.
 */
export async function linesOf(journal: Journal): Promise<string[]> {
  const lines: string[] = []
  for (const { run } of await journal.list({ limit: 1e9 })) {
    const entries = await readAll(journal, run)
    const doubts = new Set(entries.filter((entry) => isAboutDoubt(entry)).map(({ seq }) => seq))
    const input = canonical((await readStart(journal, run))!.input)
    for (const entry of entries)
      if (isEssential(entry, doubts))
        lines.push(`${input} ${entry.type} ${canonical(essence(entry.data as object as Json))}`)
  }
  return lines.sort()
}

function isAboutDoubt({ type, data }: Entry): boolean {
  return type === 'approval-request' && data?.reason === 'in-doubt'
}

function isEssential(entry: Entry, doubts: ReadonlySet<number>): boolean {
  switch (entry.type) {
    case 'run-suspend':
    case 'run-resume':
    case 'effect-retry':
      return false
    case 'approval-request':
      return !doubts.has(entry.seq)
    case 'approval-response':
      return !doubts.has(entry.data!.request)
    // Notes without a key are about signals: that one came twice, say.
    case 'note':
      return entry.key !== undefined
    default:
      return true
  }
}

/** A value without the facts that may differ between two runs of the same program. */
export function essence(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(essence)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (INCIDENTAL.has(key) ? [] : [[key, essence(item)]])),
  )
}
