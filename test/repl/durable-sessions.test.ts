import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from 'mandate'
import { memoryJournal, readAll } from 'mandate/journal'
import { ReplSession } from 'mandate/repl'
import type { ReplOptions } from 'mandate/repl'

const services: AgentService[] = []

function newService(options: ConstructorParameters<typeof AgentService>[0] = {}): AgentService {
  const service = new AgentService(options)
  services.push(service)
  return service
}

const tool = (name: string, run: (input: never) => unknown, more: object = {}): never =>
  ({ name, inputSchema: { type: 'object' }, risk: 'read', run, ...more }) as never

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

describe('a cell that waits for a person', () => {
  const log: string[] = []
  const options: ReplOptions = {
    sessionId: 'waiting',
    tools: [
      tool('look', ({ n }: { n: number }) => (log.push(`look ${n}`), n)),
      tool('pay', ({ n }: { n: number }) => (log.push(`pay ${n}`), n * 100), { needsApproval: true }),
    ],
  }

  it('inside Promise.all suspends, and goes on without repeating its siblings', async () => {
    log.length = 0
    const service = newService()
    const session = await ReplSession.open(service, options)
    const waiting = await session.evalCell(
      'print("before"); const all = await Promise.all([tools.look({ n: 1 }), tools.pay({ n: 2 }), tools.look({ n: 3 })]); all',
    )
    expect(waiting).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] })
    await expect(session.evalCell('1')).rejects.toMatchObject({ code: 'RUN_STATE' })
    await service.approve(waiting.pending[0]!.approvalId!)
    const done = await session.resume()
    expect(done).toMatchObject({
      status: 'completed',
      value: [1, 200, 3],
      stdout: 'before\n',
      variablesChanged: ['all'],
    })
    expect(log.toSorted()).toEqual(['look 1', 'look 3', 'pay 2'])
    const next = await session.evalCell('all.length')
    expect(next).toMatchObject({ value: 3 })
    expect(await service.verify(done.run)).toMatchObject({ ok: true })
    expect(await service.replay(done.run)).toMatchObject({ identical: true, complete: true })
  })

  it('can be one that another call of the cell did not wait for', async () => {
    log.length = 0
    const service = newService()
    const session = await ReplSession.open(service, options)
    const waiting = await session.evalCell('const paid = tools.pay({ n: 2 }); 1')
    expect(waiting).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] })
    await service.approve(waiting.pending[0]!.approvalId!)
    expect(await session.resume()).toMatchObject({ status: 'completed', value: 1 })
    expect(await session.evalCell('await paid')).toMatchObject({ value: 200 })
    expect(log).toEqual(['pay 2'])
  })

  it('can be cancelled, and the session stays', async () => {
    const session = await ReplSession.open(newService(), options)
    await session.evalCell('let kept = 1')
    expect((await session.evalCell('kept = 2; await tools.pay({ n: 1 })')).status).toBe('waiting')
    await session.cancel()
    expect((await session.evalCell('kept')).value).toBe(1)
  })
})

describe('a cell that takes too long or is cancelled', () => {
  const hanging = tool('hang', (_input: never) => new Promise(() => {}))

  it('is a timeout, with everything before it', async () => {
    const session = await ReplSession.open(newService(), { tools: [hanging], policy: { timeoutMs: 300 } })
    const cut = await session.evalCell('let a = 1; print("x"); try { await tools.hang({}) } catch { print("caught") }')
    expect(cut).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' }, stdout: 'x\n', variablesChanged: ['a'] })
    expect((await session.evalCell('a')).value).toBe(1)
  })

  it('keeps the session when the caller aborts it', async () => {
    const session = await ReplSession.open(newService(), { tools: [hanging] })
    const stopper = new AbortController()
    setTimeout(() => stopper.abort(), 100)
    const cut = await session.evalCell('let a = 1; await tools.hang({})', { signal: stopper.signal })
    expect(cut).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' }, variablesChanged: ['a'] })
    expect((await session.evalCell('a')).value).toBe(1)
  })
})

describe('a session', () => {
  it('is forked at a cell, and both go on by themselves', async () => {
    const session = await ReplSession.open(newService())
    await session.evalCell('let list = [1]; const add = (n) => list.push(n)')
    const first = (await session.cells())[0]!
    await session.evalCell('add(2)')
    const fork = await session.fork({ at: first.run })
    await fork.evalCell('add(7)')
    await session.evalCell('add(3)')
    expect((await fork.evalCell('list')).value).toEqual([1, 7])
    expect((await session.evalCell('list')).value).toEqual([1, 2, 3])
  })

  it('takes cells back, also after it was opened again, and counts them all the same', async () => {
    const service = newService()
    const session = await ReplSession.open(service, { sessionId: 'undo', policy: { maxIterations: 4 } })
    await session.evalCell('let n = 1')
    await session.evalCell('n = 2; let more = 1')
    await session.evalCell('n = 3')
    await session.undo(2)
    expect((await session.cells()).map(({ source }) => source)).toEqual(['let n = 1'])
    const again = await ReplSession.open(service, { sessionId: 'undo', policy: { maxIterations: 4 } })
    expect(await again.variables.names()).toEqual(['n'])
    expect((await again.evalCell('n')).value).toBe(1)
    expect((await again.evalCell('n')).error?.code).toBe('LIMIT_EXCEEDED')
  })

  it('tells cells of those before', async () => {
    const session = await ReplSession.open(newService())
    await session.evalCell('1 + 1')
    await session.evalCell('nowhere()')
    const { value } = await session.evalCell('history.map((h) => [h.cell, h.source, h.output, typeof h.error])')
    expect(value).toEqual([
      [1, '1 + 1', '2', 'undefined'],
      [2, 'nowhere()', '', 'string'],
    ])
  })

  it('verifies and replays every cell', async () => {
    const service = newService()
    const session = await ReplSession.open(service, { tools: [tool('now', () => 5)] })
    for (const source of [
      'const m = new Map(); let rolls = [Math.random(), Date.now()]',
      'm.set("a", await tools.now({})); function f() { return m.get("a") }',
      'f() + rolls.length',
      'throw new Error("x")',
      '',
    ]) {
      const { run } = await session.evalCell(source)
      expect(await service.verify(run)).toMatchObject({ ok: true })
      expect(await service.replay(run)).toMatchObject({ identical: true })
    }
  })
})

describe('large variables', () => {
  it('are written once: a cell that leaves them as they are writes nothing of them', async () => {
    const journal = memoryJournal()
    const session = await ReplSession.open(newService({ journal }))
    const written = async (source: string): Promise<number> => {
      const { run, status } = await session.evalCell(source)
      expect(status).toBe('completed')
      return JSON.stringify(await readAll(journal, run)).length
    }
    expect(
      await written("const a = 'x'.repeat(300_000); const b = { rows: [a, 1], text: 'y'.repeat(300_000) }"),
    ).toBeGreaterThan(600_000)
    const later = [
      '1',
      'a.length + b.rows.length',
      'const size = () => a.length',
      'size()',
      'b.rows.at(-1); let n = 1',
      'n += 1',
    ]
    for (const source of later) expect(await written(source)).toBeLessThan(20_000)
  })
})

it('of two processes that go on with one session, one is refused and loses nothing', async () => {
  const service = newService()
  const openAgain = (): Promise<ReplSession> => ReplSession.open(service, { sessionId: 's' })
  const [first, second] = [await openAgain(), await openAgain()]
  await first.evalCell('let n = 1')
  await expect(second.evalCell('let n = 5')).rejects.toMatchObject({
    code: 'RUN_STATE',
    message: expect.stringMatching(/continued in another process.*Open the session again/) as string,
  })
  const ends = await Promise.allSettled([first.evalCell('n += 1'), (await openAgain()).evalCell('n += 10')])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const again = await openAgain()
  expect([2, 11]).toContain((await again.evalCell('n')).value)
  expect(await again.cells()).toHaveLength(3)
})
