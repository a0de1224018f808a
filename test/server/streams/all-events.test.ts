import { AgentService } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { fakeClock } from 'mandate/testing'
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

function serve(journal = memoryJournal(), clock = fakeClock()) {
  const service = new AgentService({
    journal,
    clock,
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
  /** The ids that a client has after it has read so many pieces of the stream, and the runs that it was told of. */
  const readPieces = async (count: number, lastId?: string) => {
    const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
    const call = callOf(service, service.identity, { params: {}, request: new Request('http://x/', { headers }) })
    const reader = ((await route.handle(call)) as Response).body!.getReader()
    let text = ''
    for (let read = 0; read < count; read++) text += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    const runs = new Set(Array.from(text.matchAll(/"runId":"(\w+)"/g), ([, run]) => run!))
    return { id: Array.from(text.matchAll(/^id: (.*)$/gm), ([, id]) => id).at(-1), runs: [...runs] }
  }
  return { service, get, readPieces, journal, clock }
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

test('whoever is cut off while it catches up gets the rest when it comes back', async () => {
  const { service, readPieces, clock } = serve()
  const before = String(clock.now())
  await service.run('helper', 'Hi.', { runId: 'run_1' })
  clock.advance(60_000)
  await service.run('helper', 'Hi.', { runId: 'run_2' })
  // The last run comes first.
  const cut = await readPieces(2, before)
  expect(cut.runs).toEqual(['run_2'])
  expect((await readPieces(3, cut.id)).runs).toEqual(['run_2', 'run_1'])
  // Whoever has it all does not get it once more.
  clock.advance(60_000)
  const whole = await readPieces(4, cut.id)
  expect((await readPieces(2, whole.id)).runs).toEqual([])
})

test('whoever is cut off before anything has happened gets what happens until it comes back', async () => {
  const { service, readPieces, clock } = serve()
  const { id } = await readPieces(1)
  clock.advance(60_000)
  await service.run('helper', 'Hi.', { runId: 'run_1' })
  expect((await readPieces(2, id)).runs).toEqual(['run_1'])
})
