import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { importRun, memoryJournal } from 'mandate/journal'
import type { Entry, Journal } from 'mandate/journal'
import { registerProgram } from 'mandate/vm'
import { COST_TABLES } from '../../src/vm/meter/cost.ts'

const folder = new URL('./v1/', import.meta.url)
const linesOf = (name: string): string[] => readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n')
const files = (prefix: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.jsonl'))

/** The script behind the journals: nothing in it may change. Under the costs of now it needs more fuel than the 60 that its runs were given. */
const SOURCE = `let caught = 0
for (let i = 0; i < 300; i++) { try { null.x } catch { caught += 1 } }
const found = 'a needle in the hay'.match(/n(e+)dle/)
const words = ['pear', 'fig', 'apple'].sort()
const all = await Promise.all(['x', 'y'].map((to) => tools.act({ to })))
const paid = await tools.pay({ to: words[0] })
await tools.act({ to: paid })
return { caught, found: found[1], all, paid, drawn: Math.random() < 1 }`

const RESULT = { caught: 300, found: 'ee', all: ['ok x', 'ok y'], paid: 'paid apple', drawn: true }

async function serviceOver(journal: Journal, source: string = SOURCE): Promise<{ service: AgentService; done: string[] }> {
  const done: string[] = []
  const inputSchema = { type: 'object', properties: { to: { type: 'string' } } } as const
  const act = defineTool({
    ...{ name: 'act', description: 'acts', risk: 'write', inputSchema },
    run: ({ to }: { to: string }) => (done.push(`act ${to}`), `ok ${to}`),
  })
  const pay = defineTool({
    ...{ name: 'pay', description: 'pays', risk: 'write', needsApproval: true, inputSchema },
    run: ({ to }: { to: string }) => (done.push(`pay ${to}`), `paid ${to}`),
  })
  const service = new AgentService({ journal, tools: [act, pay] })
  await registerProgram(service, source, { name: 'errand' })
  return { service, done }
}

/** Puts the entries into a journal as this host's own. */
async function own(journal: Journal, entries: readonly Entry[]): Promise<string> {
  const { run } = entries[0]!
  const lease = await journal.acquire({ run, owner: 'earlier', ttlMs: 1_000, now: Date.now() })
  await journal.append(lease, 0, entries)
  await journal.release(lease)
  return run
}

const entriesOf = (name: string): Entry[] => linesOf(name).map((line) => JSON.parse(line) as Entry)

describe('programs of earlier builds', () => {
  it('there is a journal of every earlier cost table', () => {
    const earlier = [...COST_TABLES.keys()].slice(0, -1)
    for (const costs of earlier)
      expect(files('program-')).toEqual(
        expect.arrayContaining([`program-waiting.${costs}.jsonl`, `program-ended.${costs}.jsonl`]),
      )
  })

  it.each(files('program-waiting'))('%s goes on: what it had done is not repeated, nor paid again', async (file) => {
    const journal = memoryJournal()
    const run = await own(journal, entriesOf(file))
    const { service, done } = await serviceOver(journal)
    const [request] = await service.approvals(run)
    await service.approve(request!.id)
    const outcome = await service.resume(run)
    expect(outcome).toMatchObject({ status: 'completed', result: { result: RESULT } })
    expect(done).toEqual(['pay apple', 'act paid apple'])
    expect(await service.replay(run)).toMatchObject({ identical: true, complete: true })
    await service.stop()
  })

  it.each(files('program-ended'))('%s replays without a difference, whatever its fuel was', async (file) => {
    const journal = memoryJournal()
    const { run } = await importRun(journal, linesOf(file), 0)
    const { service, done } = await serviceOver(journal)
    expect(await service.verify(run)).toMatchObject({ ok: true })
    expect(await service.replay(run)).toMatchObject({ identical: true, complete: true })
    expect(done).toEqual([])
    await service.stop()
  })
})
