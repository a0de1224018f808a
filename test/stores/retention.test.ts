import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService } from 'mandate'
import { Atlas, agent } from 'mandate/chat'
import { scripted } from 'mandate/model'
import { ReplSession } from 'mandate/repl'
import { openStore, retain } from 'mandate/sqlite'
import { expect, onTestFinished, test } from 'vitest'

const DAY = 86_400_000

/** Opens services over one store, like processes that follow each other. */
async function storeOf(): Promise<{ readonly journal: AgentService['journal']; service(): AgentService }> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-retention-'))
  const { journal, close } = await openStore({ dir })
  const services: AgentService[] = []
  onTestFinished(async () => {
    for (const service of services) await service.stop()
    await close()
    rmSync(dir, { recursive: true })
  })
  return {
    journal,
    service() {
      const service = new AgentService({ journal })
      services.push(service)
      return service
    },
  }
}

test('cells of a session in use outlive every limit: opened again, it has its first variables', async () => {
  const { journal, service } = await storeOf()
  const first = await ReplSession.open(service(), { sessionId: 'nb' })
  await first.evalCell('const total = 40')
  for (const filler of ['1', '2', '3']) await first.evalCell(filler)
  const fork = await first.fork({ sessionId: 'tried' })
  await fork.evalCell('const more = total + 1')
  const report = await retain(journal, { keepRuns: 1, now: Date.now() })
  expect(report.runs).toEqual([])
  expect(report.kept.map(({ session }) => session).toSorted()).toEqual(['nb', 'tried'])
  const again = await ReplSession.open(service(), { sessionId: 'tried' })
  expect((await again.evalCell('total + more')).value).toBe(81)
})

test('a session of cells that retention has erased says so when it is opened, and what to do', async () => {
  const { journal, service } = await storeOf()
  const session = await ReplSession.open(service(), { sessionId: 'nb' })
  await session.evalCell('const total = 40')
  const limits = { olderThanMs: 30 * DAY, now: Date.now() + 31 * DAY }
  const planned = await retain(journal, { ...limits, dryRun: true })
  expect(planned.sessions).toMatchObject([{ session: 'nb', mind: 'cell', runs: 1 }])
  expect(await retain(journal, limits)).toEqual(planned)
  await expect(ReplSession.open(service(), { sessionId: 'nb' })).rejects.toMatchObject({
    code: 'JOURNAL_ERASED',
    message: expect.stringContaining('under another id') as unknown,
  })
})

test('a conversation goes on after its runs were erased, and answers a message that is sent again', async () => {
  const { journal, service } = await storeOf()
  const model = scripted(['One.', 'Two.', 'Three.'])
  const atlas = new Atlas({ agents: [agent({ id: 'clerk', model })], service: service(), conversationId: 'cv' })
  const send = async (text: string, idempotencyKey: string): Promise<unknown> =>
    (await atlas.send(text, { idempotencyKey }).finalMessage).content
  await send('Hello.', 'm1')
  await send('More.', 'm2')
  expect((await retain(journal, { keepRuns: 1, now: Date.now() })).runs).toEqual([])
  expect((await retain(journal, { keepRuns: 0, now: Date.now() })).runs.length).toBe(2)
  expect(await send('More.', 'm2')).toEqual([{ type: 'text', text: 'Two.' }])
  expect(await send('Third.', 'm3')).toEqual([{ type: 'text', text: 'Three.' }])
  expect((await atlas.getConversation()).messages.length).toBe(6)
})
