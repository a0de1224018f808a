import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { dataText, headOf, readAll } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { forgeEntry } from '../../src/testing/index.ts'

it('an entry behind the head that the journal did not write is reported by verify and refused by resume', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-behind-'))
  const path = join(folder, 'journal.db')
  const journal = sqliteJournal({ path })
  onTestFinished(async () => {
    await journal.close()
    rmSync(folder, { recursive: true })
  })
  const kernel = new Kernel({ journal })
  kernel.registry.registerMind({
    kind: 'program',
    name: 'main',
    start: async (_, context) => (await context.perform({ kind: 'question', name: 'ask', input: 'Who?' })).status,
  })
  await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r' })
  expect(await kernel.verify('r')).toMatchObject({ ok: true, chain: 'intact', authority: 'not-needed' })
  const entries = await readAll(journal, 'r')
  const asked = entries.find(({ type }) => type === 'approval-request')!
  const data = { request: asked.seq, answer: 'answer', value: 'me', by: { id: 'mallory', roles: ['owner'] } }
  const forged = forgeEntry(
    'r',
    headOf(entries.at(-1)!),
    { type: 'approval-response', key: asked.key, data, at: 1 },
    'salt',
  )
  const file = new DatabaseSync(path)
  file
    .prepare(
      'INSERT INTO entries (run, seq, v, at, type, key, data_hash, prev, hash, salt, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      'r',
      forged.seq,
      1,
      forged.at,
      forged.type,
      JSON.stringify(forged.key),
      forged.dataHash,
      forged.prev,
      forged.hash,
      'salt',
      dataText(forged),
    )
  file.close()
  const report = await kernel.verify('r')
  expect(report).toMatchObject({ ok: false, chain: 'broken', authority: 'not-shown' })
  expect(report.problems).toEqual([expect.stringContaining('the store has 1 more behind it')])
  expect((await kernel.audit()).ok).toBe(false)
  await expect(kernel.resume('r')).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' })
  await kernel.stop()
})
