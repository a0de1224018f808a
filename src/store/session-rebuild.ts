import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MandateError, checkFields, checkKind } from '../core/index.ts'
import type { Entry, Journal, RunSummary } from '../journal/index.ts'
import { CheckpointFold } from './checkpoint.ts'
import { eventView } from './event-view.ts'
import { eventLine, sessionPath, writeCheckpoint } from './session-files.ts'

/**
 * Rebuilds the files of sessions from the journal: of every session of the given runs, completely. Erased runs leave no lines and no checkpoints:
 * call this after `retain`, if files are kept with payloads.
 */
export async function rebuildSessionFiles(
  journal: Journal,
  runs: Iterable<string>,
  dir: string,
  options: { readonly includePayloads?: boolean | undefined } = {},
): Promise<{ readonly sessions: readonly string[]; readonly events: number }> {
  checkFields(options, 'an option of `rebuildSessionFiles`', { includePayloads: true })
  checkKind(journal, 'journal', 'The first argument of `rebuildSessionFiles`')
  const sessions = new Set<string>()
  for (const run of runs) {
    const summary = await journal.summary(run)
    if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to rebuild the files of.`)
    sessions.add(summary.sessionId)
  }
  let events = 0
  for (const sessionId of sessions) {
    const of = await journal.list({ sessionId, limit: Infinity })
    events += await rebuild(
      journal,
      of.filter((summary) => !summary.erased),
      sessionPath(dir, sessionId),
      options.includePayloads === true,
    )
  }
  return { sessions: [...sessions], events }
}

async function rebuild(
  journal: Journal,
  runs: readonly RunSummary[],
  folder: string,
  includePayloads: boolean,
): Promise<number> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'events.jsonl')
  const file = await open(`${path}.new`, 'w')
  const folds = new Map(runs.map((summary) => [summary.run, new CheckpointFold()]))
  const view = eventView(includePayloads)
  const written = new Set<string>()
  let count = 0
  try {
    for await (const { entry, summary } of merge(journal, runs)) {
      const event = view(entry, { sessionId: summary.sessionId, agentId: summary.name })
      await file.write(`${eventLine(event)}\n`)
      count += 1
      const checkpoint = folds.get(entry.run)!.apply(event)
      if (checkpoint === undefined) continue
      await writeCheckpoint(folder, { ...checkpoint, head: { seq: entry.seq, hash: entry.hash } })
      written.add(`${checkpoint.checkpointId}.json`)
    }
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await removeOthers(join(folder, 'checkpoints'), written)
  return count
}

/** Deletes checkpoints to which no entry refers any more, because the run was erased. */
async function removeOthers(folder: string, keep: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (!keep.has(name)) await rm(join(folder, name))
}

/** The entries of several runs in the order of their times, with one of each run in memory. */
async function* merge(
  journal: Journal,
  runs: readonly RunSummary[],
): AsyncGenerator<{ entry: Entry; summary: RunSummary }> {
  const sources = await Promise.all(
    runs.map(async (summary) => {
      const entries = journal.read(summary.run)[Symbol.asyncIterator]()
      return { summary, entries, next: await entries.next() }
    }),
  )
  for (;;) {
    const waiting = sources.filter((source) => source.next.done !== true)
    if (waiting.length === 0) return
    const first = waiting.reduce((best, source) =>
      isBefore(source.next.value as Entry, best.next.value as Entry) ? source : best,
    )
    yield { entry: first.next.value as Entry, summary: first.summary }
    first.next = await first.entries.next()
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at !== b.at ? a.at < b.at : a.run < b.run
}
