import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importRun, memoryJournal } from '../../src/journal/index.ts'
import { teamService } from './team-runs.ts'

const folder = new URL('./v1/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.startsWith('team-') && name.endsWith('.jsonl'))

it('there are golden journals of teams', () => {
  expect(files).toHaveLength(3)
})

it.each(files)('%s, written by an earlier build, still verifies and replays without a difference', async (file) => {
  const journal = memoryJournal()
  const { run } = await importRun(journal, readFileSync(new URL(file, folder), 'utf8').split('\n'), 0)
  const service = teamService(journal)
  expect(await service.verify(run)).toMatchObject({ ok: true, problems: [] })
  expect(await service.replay(run)).toMatchObject({ identical: true, complete: true })
  await service.stop()
})
