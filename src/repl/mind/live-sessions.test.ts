import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { IntactEntry, Journal } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { kernelOf } from '../../run/index.ts'
import { ReplSession } from '../session/repl-session.ts'
import { contextOf } from '../context/context.ts'
import { openContexts } from '../context/open-contexts.ts'
import { cellsOf } from './register-cells.ts'
import { LiveSessions, liveSessionsOf } from './live-sessions.ts'
import type { LiveSession } from './live-sessions.ts'
import { loadVariables, stateAfter } from './stored-variables.ts'
import { CellSession } from '../../vm/index.ts'
import { RESERVED } from '../session/reserved-names.ts'

const services: AgentService[] = []

function newService(options: ConstructorParameters<typeof AgentService>[0] = {}): AgentService {
  const service = new AgentService(options)
  services.push(service)
  return service
}

const bytesOf = (service: AgentService): number => liveSessionsOf(kernelOf(service).journal).bytes

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const ROWS = 'const rows = Array.from({ length: 500 }, (_, i) => ({ id: i, name: "row " + i }))'

describe('the sessions of cells in memory', () => {
  it('are those that can go on: a finished run of an agent and a closed session leave nothing', async () => {
    const cells = ['```js\n' + ROWS + '\n```', '```js\nanswer(rows.length)\n```']
    let said = 0
    const model = scripted(() => cells[said++ % 2]!)
    const service = newService({ agents: [{ id: 'coder', mode: 'code', model }] })
    for (let n = 0; n < 5; n++)
      expect(await service.run('coder', 'Go.', { sessionId: 's' })).toMatchObject({ result: '500' })
    expect(bytesOf(service)).toBe(0)
    const session = await ReplSession.open(service)
    await session.evalCell(ROWS)
    expect(bytesOf(service)).toBeGreaterThan(100_000)
    await session.close()
    expect(bytesOf(service)).toBe(0)
  })

  it('nor are its tools and context, which a closed session alone can still use', async () => {
    const service = newService()
    const tool = { name: 'look', inputSchema: { type: 'object' }, risk: 'read', run: () => 'seen' }
    const given = { sessionId: 's', tools: [tool] as never, context: contextOf('a\nb', { label: 'letters' }) }
    const session = await ReplSession.open(service, { ...given, appState: {} })
    await session.evalCell('const n = 1')
    await session.close()
    const cells = cellsOf(service, 'cells')
    expect([cells.givenTo('s'), cells.appStates.size]).toEqual([{}, 0])
    expect(openContexts(kernelOf(service).registry).of('s')).toBeUndefined()
    expect(await session.variables.get('n')).toBe(1)
    const fork = await session.fork()
    expect(await fork.evalCell('[n, await tools.look({}), await context.slice(0, 1)]')).toMatchObject({
      value: [1, 'seen', 'a'],
    })
  })

  it('do not hold what a run was given as its context', async () => {
    const service = newService()
    const session = await ReplSession.open(service, { context: 'x'.repeat(1_000_000) })
    await session.evalCell('context.length')
    expect(await session.variables.get('context')).toBeUndefined()
    expect(await session.evalCell('context.length')).toMatchObject({ value: 1_000_000 })
  })

  it('a run that fails, or waits, leaves nothing either', async () => {
    const pay = { name: 'pay', inputSchema: { type: 'object' }, risk: 'write', needsApproval: true, run: () => 1 }
    const model = scripted(['```js\n' + ROWS + '\n```', '```js\nawait tools.pay({})\n```'])
    const agents = [{ id: 'coder', mode: 'code', model, tools: [pay], maxTurns: 2 }] as const
    const service = newService({ agents: agents as never })
    const waiting = await service.run('coder', 'Go.')
    expect(waiting.status).toBe('await_user')
    expect(bytesOf(service)).toBe(0)
    await service.approve(waiting.pending[0]!.approvalId!)
    expect((await service.resume(waiting.id)).status).toBe('max_turns')
    expect(bytesOf(service)).toBe(0)
  })
})

describe('the cache of sessions', () => {
  async function cellOf(journal: Journal, id: string, source = ROWS): Promise<IntactEntry<'run-end'>> {
    const service = newService({ journal })
    const { run } = await (await ReplSession.open(service, { sessionId: id })).evalCell(source)
    return (await readAll(journal, run)).at(-1) as IntactEntry<'run-end'>
  }

  async function liveAfter(journal: Journal, run: string): Promise<LiveSession> {
    const state = await stateAfter(journal, run)
    const { index, content } = await loadVariables(journal, state.variables!)
    const cells = CellSession.read(index.session, content, { reserved: RESERVED, followsLabels: false, labels: [] })
    return { cells, state, index, owner: run }
  }

  it('gives a session once, because the next cell changes it', async () => {
    const journal = memoryJournal()
    const end = await cellOf(journal, 'a')
    const live = new LiveSessions(journal)
    live.put(end, await liveAfter(journal, end.run))
    const both = await Promise.all([live.take(end.run), live.take(end.run)])
    expect(both.filter((one) => one !== undefined)).toHaveLength(1)
    expect(live.bytes).toBe(0)
  })

  it('gives no session of a run that ended otherwise, or that the journal no longer has', async () => {
    const journal = memoryJournal()
    const end = await cellOf(journal, 'a')
    const live = new LiveSessions(journal)
    const kept = await liveAfter(journal, end.run)
    live.put({ ...end, hash: 'another' }, kept)
    expect(await live.peek(end.run)).toBeUndefined()
    expect(live.bytes).toBe(0)
    live.put({ ...end, data: { ...end.data, output: null } }, kept)
    live.put(end, { ...kept, state: { ...kept.state, variables: 'other' } })
    expect(live.bytes).toBe(0)
    live.put(end, kept)
    expect(await live.peek(end.run)).toBeDefined()
    await journal.erase(end.run)
    expect(await live.peek(end.run)).toBeUndefined()
  })

  it('holds so many bytes and no more, the ones used last', async () => {
    const journal = memoryJournal()
    const ends = [await cellOf(journal, 'a'), await cellOf(journal, 'b'), await cellOf(journal, 'c')]
    const first = await liveAfter(journal, ends[0]!.run)
    const most = first.cells.bytes * 2
    const live = new LiveSessions(journal, most)
    for (const end of ends) live.put(end, await liveAfter(journal, end.run))
    expect(live.bytes).toBeLessThanOrEqual(most)
    const found = await Promise.all(ends.map(({ run }) => live.peek(run)))
    expect(found.map((one) => one !== undefined)).toEqual([false, true, true])
    const small = new LiveSessions(journal, 1_000)
    small.put(ends[0]!, first)
    expect(small.bytes).toBe(0)
  })
})
