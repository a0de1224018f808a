import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importRun, memoryJournal } from '../../src/journal/index.ts'
import { goldenService } from './kernel-runs.ts'

const folder = new URL('./v1/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.startsWith('kernel-') && name.endsWith('.jsonl'))

it('there are golden journals that a kernel wrote', () => {
  expect(files.length).toBeGreaterThanOrEqual(3)
})

it.each(files)('%s, written by an earlier build, still verifies and replays without a difference', async (file) => {
  const journal = memoryJournal()
  const { run } = await importRun(journal, readFileSync(new URL(file, folder), 'utf8').split('\n'), 0)
  const service = goldenService(journal)
  expect(await service.verify(run)).toMatchObject({ ok: true, problems: [] })
  const report = await service.replay(run)
  expect(report).toMatchObject({ identical: true, complete: true })
  expect(report.effects).toBeGreaterThan(0)
  await service.stop()
})
