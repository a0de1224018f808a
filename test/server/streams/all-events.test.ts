import { AgentService } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { livePart } from '../../../src/server/faces/live-part.ts'
import { callOf } from './calls.ts'
import { afterEach, expect, test } from 'vitest'
import { sseEvents } from './sse-client.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface Note {
  readonly type: string
  readonly runId: string
  readonly seq: number
  readonly data: unknown
}

const ana = { id: 'ana', roles: ['user'] }
const ben = { id: 'ben', roles: ['user'] }

function serve(journal = memoryJournal()) {
  const service = new AgentService({
    journal,
    agents: [{ id: 'helper', model: scripted(['Hello.']) }],
    mandate: { roles: { user: ['run-agent'] } },
  })
  const part = livePart(service)
  open.push(() => (part.close?.(), service.stop()))
  const route = part.routes.find(({ path }) => path === '/api/events')!
  const get = async (as = service.identity, lastId?: string) => {
    const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
    const request = new Request('http://x/', { headers })
    const call = callOf(service, as, { params: {}, request })
    const response = (await route.handle(call)) as Response
    const notes: Note[] = []
    let last: string | undefined
    const reader = response.body!.getReader()
    open.unshift(() => reader.cancel())
    const chunks = (async function* () {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    })()
    const reading = (async () => {
      for await (const { id, data } of sseEvents(chunks)) {
        notes.push(JSON.parse(data) as Note)
        last = id
      }
    })()
    return { notes, reading, lastId: () => last, stop: () => reader.cancel() }
  }
  return { service, get, journal }
}

const seqsOf = (notes: readonly Note[], run: string): number[] =>
  notes.filter(({ runId }) => runId === run).map(({ seq }) => seq)

test('one stream tells of all runs, in short, and each of them in order', async () => {
  const { service, get } = serve()
  await service.run('helper', 'Before.', { runId: 'run_0' })
  const { notes } = await get()
  await Promise.all([
    service.run('helper', 'Hi.', { runId: 'run_1' }),
    service.run('helper', 'Hi.', { runId: 'run_2' }),
  ])
  await expect.poll(() => notes.filter(({ type }) => type === 'run-end')).toHaveLength(2)
  for (const run of ['run_1', 'run_2']) {
    const seqs = seqsOf(notes, run)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  }
  expect(notes.find(({ type }) => type === 'run-end')!.data).toEqual({ state: 'completed' })
  expect(JSON.stringify(notes)).not.toContain('Hello.')
})

test('an identity is told of the runs it may read, and of no others', async () => {
  const { service, get } = serve()
  const { notes } = await get(ana)
  await service.as(ben).run('helper', 'Hi.', { runId: 'run_ben' })
  await service.as(ana).run('helper', 'Hi.', { runId: 'run_ana' })
  await expect.poll(() => notes.some(({ type }) => type === 'run-end')).toBe(true)
  expect(new Set(notes.map(({ runId }) => runId))).toEqual(new Set(['run_ana']))
})

test('whoever comes back, also to another process, gets what happened meanwhile', async () => {
  const { service, get, journal } = serve()
  const first = await get()
  await service.run('helper', 'Hi.', { runId: 'run_1' })
  await expect.poll(() => first.notes.some(({ type }) => type === 'run-end')).toBe(true)
  await first.stop()
  await service.run('helper', 'Hi.', { runId: 'run_2' })
  const other = serve(journal)
  const { notes } = await other.get(undefined, first.lastId())
  await expect.poll(() => notes.some(({ type, runId }) => type === 'run-end' && runId === 'run_2')).toBe(true)
  const seqs = seqsOf(notes, 'run_2')
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
})
