import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import { importRun, memoryJournal } from '../../src/journal/index.ts'
import { GOLDEN_DONE, GOLDEN_KEY, GOLDEN_RUN, governedService, writeGoverned } from './governed-runs.ts'

const lines = readFileSync(new URL(`./v1/${GOLDEN_RUN}.jsonl`, import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')

it('a run with a vault, handles and intents, written by an earlier build, replays with its key and without', async () => {
  for (const vault of [GOLDEN_KEY, undefined]) {
    const journal = memoryJournal()
    await importRun(journal, lines, 0)
    const done: Json[] = []
    const service = governedService(journal, done, vault)
    expect(await service.verify(GOLDEN_RUN)).toMatchObject({ ok: true })
    expect(await service.replay(GOLDEN_RUN)).toMatchObject({ identical: true, complete: true })
    const result = await service.result(GOLDEN_RUN)
    expect(result).toMatchObject({ lastText: 'It says the page' })
    expect(result.report().toolResults).toBe('handles')
    expect(done).toEqual([])
    await service.stop()
  }
})

it('this build goes on where that one was suspended, with the values that one sealed', async () => {
  const asLeft = lines.slice(0, lines.findIndex((line) => line.includes('"type":"run-suspend"')) + 1)
  const journal = memoryJournal()
  await importRun(journal, asLeft, 0)
  const done: Json[] = []
  const service = governedService(journal, done, GOLDEN_KEY)
  const [request] = await service.approvals(GOLDEN_RUN)
  expect(request).toMatchObject({ name: 'call_api', rule: 'reveal/secret' })
  await service.approve(request!.id)
  expect(await service.resume(GOLDEN_RUN)).toMatchObject({ status: 'completed', lastText: 'It says the page' })
  expect(done).toEqual([GOLDEN_DONE[1]])
  await service.stop()
})

it('what it is written with does what it says, and nothing of it is in plain', async () => {
  const done: Json[] = []
  await writeGoverned(memoryJournal(), done)
  expect(done).toEqual(GOLDEN_DONE)
  for (const value of ['ada@example.org', (GOLDEN_DONE[1] as { key: string }).key])
    expect(lines.join('\n').includes(value)).toBe(false)
})
