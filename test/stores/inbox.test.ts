import type { RunEventBus } from '../../src/journal/index.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { EventBus } from '../../src/core/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'

function kernelOn(journal: Journal, events: RunEventBus = new EventBus()): Kernel {
  const kernel = new Kernel({ journal, events })
  const ask = (name: string, text: string): { kind: 'question'; name: string; input: string } => ({
    kind: 'question',
    name,
    input: text,
  })
  kernel.registry.registerMind({
    kind: 'program',
    name: 'asks',
    start: async (input, context) => (await context.perform(ask('ask', String(input)))).status,
  })
  kernel.registry.registerMind({
    kind: 'program',
    name: 'parent',
    start: async (_, context) => (await context.perform({ kind: 'program', name: 'asks', input: 'from below' })).status,
  })
  return kernel
}

function counting(inner: Journal): { journal: Journal; reads: string[]; listed: number[] } {
  const reads: string[] = []
  const listed: number[] = []
  const journal = new Proxy(inner, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown
      if (name === 'read') return (run: string, ...rest: []) => (reads.push(run), target.read(run, ...rest))
      if (name === 'list')
        return async (...given: [object]) => {
          const found = await target.list(...given)
          listed.push(found.length)
          return found
        }
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member
    },
  })
  return { journal, reads, listed }
}

async function waitingRuns(kernel: Kernel, count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await kernel.run({ kind: 'program', name: 'asks', input: `q${index}`, runId: `r${String(index).padStart(3, '0')}` })
}

it('what waits is read page by page, longest first, and one run without a look at the others', async () => {
  const { journal, reads, listed } = counting(memoryJournal())
  const kernel = kernelOn(journal)
  await waitingRuns(kernel, 30)
  await kernel.run({ kind: 'program', name: 'parent', input: null, runId: 'top' })
  const all = await kernel.approvals()
  expect(all.map(({ text }) => text)).toEqual([...Array.from({ length: 30 }, (_, index) => `q${index}`), 'from below'])
  const pages: string[][] = []
  for (let page = await kernel.inbox({ limit: 12 }); ; page = await kernel.inbox({ limit: 12, after: page.next })) {
    pages.push(page.requests.map(({ id }) => id))
    if (page.next === undefined) break
  }
  expect(pages.map((page) => page.length)).toEqual([12, 12, 7])
  expect(pages.flat()).toEqual(all.map(({ id }) => id))
  reads.length = 0
  listed.length = 0
  expect((await kernel.approvals('r007')).map(({ text }) => text)).toEqual(['q7'])
  expect((await kernel.approvals('top')).map(({ text }) => text)).toEqual(['from below'])
  expect(new Set(reads).size).toBe(2)
  expect(listed.every((count) => count <= 1)).toBe(true)
  await expect(kernel.inbox({ limit: 0 })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(kernel.inbox({ after: 'x' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await kernel.stop()
})

it('one damaged run that waits is named, and harms no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-inbox-'))
  const path = join(folder, 'journal.db')
  const journal = sqliteJournal({ path })
  onTestFinished(async () => {
    await journal.close()
    rmSync(folder, { recursive: true })
  })
  const events: RunEventBus = new EventBus()
  const told: string[] = []
  events.on('run-unreadable', ({ runId }) => void told.push(runId))
  const kernel = kernelOn(journal, events)
  await waitingRuns(kernel, 3)
  const file = new DatabaseSync(path)
  file.exec(`UPDATE entries SET data = replace(data, 'q1', 'q9') WHERE run = 'r001'`)
  file.close()
  expect((await kernel.approvals()).map(({ run }) => run)).toEqual(['r000', 'r002'])
  const { unreadable } = await kernel.inbox()
  expect(unreadable).toEqual([{ run: 'r001', problem: expect.stringContaining('damaged') }])
  expect(told).toEqual(['r001', 'r001'])
  expect(await kernel.approvals('r001')).toEqual([])
  expect((await kernel.list({})).map(({ run }) => run).toSorted()).toEqual(['r000', 'r001', 'r002'])
  expect((await kernel.audit()).incidents.map(({ run }) => run)).toContain('r001')
  await kernel.respond('r002-ap2', { answer: 'answer', value: 'yes' })
  expect(await kernel.resume('r002')).toMatchObject({ state: 'completed' })
  await kernel.stop()
})
