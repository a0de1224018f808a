import { MandateError, canonical, parseJson } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { Entry } from './entry.ts'
import { GENESIS } from './entry.ts'
import type { Journal } from './journal.ts'
import { readVerified } from './reading.ts'

/** A run as lines of JSON, one entry each; the bytes are the same from every store. */
export async function* exportRun(journal: Journal, run: string): AsyncGenerator<string> {
  for await (const entry of journal.read(run)) yield canonical(entry)
}

/**
 * Brings exported lines into a journal, entry for entry, hashes untouched. Importing the same run twice changes nothing;
 * a run that differs from what is there is refused, and so is a damaged one, before anything is written.
 */
export async function importRun(
  journal: Journal,
  lines: Iterable<string> | AsyncIterable<string>,
  now: number,
): Promise<{ run: string; entries: number }> {
  const raw: Entry[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line.trim() !== '') raw.push(entryOf(parseJson(line, `Line ${number}`), number))
  }
  const run = raw[0]?.run
  if (run === undefined)
    throw new MandateError('INPUT_INVALID', 'There is nothing to import: the input has no entries.')
  // Verified, then stored as they were written: an upcast entry would no longer match its own hashes.
  for await (const _ of readVerified(run, GENESIS, raw));
  const stored = await journal.summary(run)
  if (stored !== undefined && stored.head.seq >= raw.length) {
    const mine = raw[stored.head.seq - 1]
    if (stored.head.seq > raw.length || mine?.hash !== stored.head.hash) throw differs(run)
    return { run, entries: 0 }
  }
  const lease = await journal.acquire({ run, owner: 'import', ttlMs: 60_000, now })
  try {
    await journal.append(lease, 0, raw)
  } finally {
    await journal.release(lease)
  }
  return { run, entries: raw.length - (stored?.head.seq ?? 0) }
}

function differs(run: string): MandateError {
  return new MandateError(
    'JOURNAL_CONFLICT',
    `Run "${run}" is already there and goes another way. Import it into an empty store.`,
  )
}

const FIELDS: readonly [keyof Entry, string][] = [
  ['v', 'number'],
  ['run', 'string'],
  ['seq', 'number'],
  ['at', 'number'],
  ['type', 'string'],
  ['dataHash', 'string'],
  ['prev', 'string'],
  ['hash', 'string'],
]

function entryOf(value: Json, line: number): Entry {
  const record = value as Partial<Record<keyof Entry, unknown>> | null
  for (const [field, type] of FIELDS) {
    if (typeof record?.[field] !== type)
      throw new MandateError('INPUT_INVALID', `Line ${line} is not a journal entry: \`${field}\` must be a ${type}.`)
  }
  return { salt: null, data: null, ...(record as object) } as Entry
}
