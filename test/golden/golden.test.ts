import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { canonical } from '../../src/core/index.ts'
import { ENTRY_VERSION, exportRun, importRun, memoryJournal, readAll, verifyEntries } from '../../src/journal/index.ts'
import { ENTRY_TYPES } from '../../src/journal/entry.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { viewOf } from './make.ts'
import { SAMPLES, makeSample } from './samples.ts'

const folder = new URL('./', import.meta.url)
const golden = readdirSync(folder, { withFileTypes: true })
  .filter((item) => item.isDirectory() && /^v\d+$/.test(item.name))
  .flatMap((version) => readdirSync(new URL(`${version.name}/`, folder)).filter((name) => name.endsWith('.jsonl')).map((name) => `${version.name}/${name.slice(0, -6)}`))

const linesOf = (name: string): string[] => readFileSync(new URL(`${name}.jsonl`, folder), 'utf8').trimEnd().split('\n')

function openSqlite(): Journal {
  const place = mkdtempSync(join(tmpdir(), 'mandate-golden-'))
  const journal = sqliteJournal({ path: join(place, 'journal.db') })
  onTestFinished(async () => {
    await journal.close()
    rmSync(place, { recursive: true })
  })
  return journal
}

test('the golden journals of version 1 hold every type of entry', () => {
  const types = new Set(golden.filter((name) => name.startsWith('v1/')).flatMap((name) => linesOf(name).map((line) => (JSON.parse(line) as Entry).type)))
  expect([...types].toSorted()).toEqual([...ENTRY_TYPES].toSorted())
})

test.each(golden)('%s imports into every store, verifies, and comes out byte for byte', async (name) => {
  const lines = linesOf(name)
  for (const journal of [memoryJournal(), openSqlite()]) {
    const { run, entries } = await importRun(journal, lines, 0)
    expect(entries).toBe(lines.length)
    expect(verifyEntries(run, await readAll(journal, run))).toMatchObject({ ok: true, problems: [], entries: lines.length })
    const exported: string[] = []
    for await (const line of exportRun(journal, run)) exported.push(line)
    expect(exported).toEqual(lines)
  }
})

test.each(golden)('%s still means what it meant', async (name) => {
  const journal = memoryJournal()
  const { run } = await importRun(journal, linesOf(name), 0)
  const committed: unknown = JSON.parse(readFileSync(new URL(`${name}.fold.json`, folder), 'utf8'))
  const view = JSON.parse(JSON.stringify(viewOf(linesOf(name)))) as { readonly summary: { readonly waiting?: unknown } }
  // Later builds fold what waits into the summary as well.
  const { waiting, ...known } = view.summary
  expect({ ...view, summary: known }).toEqual(committed)
  // That it was imported is the one thing that the run itself does not say.
  const { imported, waiting: stored, ...summary } = (await journal.summary(run))!
  expect(stored).toEqual(waiting)
  expect(imported).toEqual({ from: 1, to: summary.head.seq })
  expect(JSON.parse(JSON.stringify(summary))).toEqual((committed as { summary: unknown }).summary)
})

// The order of keys is the writer's; every hash, and so all that was said, is that of then.
test.runIf(ENTRY_VERSION === 1).each(Object.keys(SAMPLES))('writing %s today gives the hashes and the content of then', async (name) => {
  const content = (lines: readonly string[]): string[] => lines.map((line) => canonical(JSON.parse(line)))
  expect(content(await makeSample(name))).toEqual(content(linesOf(`v1/${name}`)))
})

test('a known secret is in none of them', () => {
  for (const name of golden) expect(linesOf(name).join('')).not.toContain('golden-token-value')
})
