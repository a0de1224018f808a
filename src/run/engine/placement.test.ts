import { describe, expect, test, vi } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { EventBus } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { RunEventBus } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { call, kernelWith, linesOf, outputOf, program, tool } from '../kernel/kernel.fixture.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Engine, EngineHost } from './engine.ts'

/** An engine of two processes that share a queue in memory: one starts runs, the other drives them. */
function pair(): { readonly client: Engine; readonly worker: Engine; readonly asked: string[]; host(): EngineHost } {
  const asked: string[] = []
  const done = new Map<string, PromiseWithResolvers<void>>()
  let driver: EngineHost | undefined
  const doneOf = (id: string): PromiseWithResolvers<void> => {
    const known = done.get(id) ?? Promise.withResolvers<void>()
    done.set(id, known)
    return known
  }
  const dispatch = async (run: string, cause: string): Promise<void> => {
    const id = `${run} ${cause.replace(/^(resume|signal)\/.*/, '$1')}`
    if (asked.includes(id)) return
    asked.push(id)
    void driver!.segment(run).then(() => doneOf(`${run} ${cause}`).resolve())
  }
  const engine = (attach: Engine['attach']): Engine => ({
    name: 'pair',
    attach,
    dispatch,
    schedule: async () => {},
    stop: async () => {},
    placement: {
      enlist: async (run, cause) => () => dispatch(run, cause),
      settled: (run, cause) => doneOf(`${run} ${cause}`).promise,
    },
  })
  return {
    asked,
    client: engine(async () => {}),
    worker: engine(async (host) => void (driver = host)),
    host: () => driver!,
  }
}

const asking = program('main', async (_, context) => (await call(context, 'ask')).status)

async function both(
  events?: RunEventBus,
): Promise<{ client: Kernel; worker: Kernel; called: string[]; engines: ReturnType<typeof pair> }> {
  const engines = pair()
  const journal = memoryJournal()
  const called: string[] = []
  const toolOf = (where: string): ReturnType<typeof tool> =>
    tool('ask', () => called.push(where), { needsApproval: true })
  const worker = kernelWith({ engine: engines.worker, journal, minds: [asking], tools: [toolOf('worker')] })
  await worker.attach()
  const client = kernelWith({
    engine: engines.client,
    journal,
    minds: [asking],
    tools: [toolOf('client')],
    ...(events === undefined ? {} : { events }),
  })
  return { client, worker, called, engines }
}

describe('runs that an engine places', () => {
  test('are written by who starts them and driven by another process; who waits gets the outcome and every event', async () => {
    const events: RunEventBus = new EventBus()
    const told: string[] = []
    events.onRun('r', ({ type, seq }) => void told.push(`${seq} ${type}`))
    const { client, called, engines } = await both(events)
    const suspended = await client.run({ kind: 'program', name: 'main', input: null, runId: 'r' })
    expect(suspended).toMatchObject({ state: 'suspended', reason: 'approval' })
    await client.respond((await client.approvals())[0]!.id, { answer: 'approve' })
    expect(outputOf(await client.resume('r'))).toBe('ok')
    expect(called).toEqual(['worker'])
    expect(engines.asked).toEqual(['r start', 'r signal', 'r resume'])
    const entries = await readAll(client.journal, 'r')
    expect(told).toEqual([...new Set(told)])
    expect(told.map((line) => line.split(' ')[1])).toEqual(entries.map(({ type }) => type).slice(0, told.length))
    expect(told[0]).toBe('1 run-start')
  })

  test('starting one again gives the same run', async () => {
    const { client, engines } = await both()
    const spec = { kind: 'program', name: 'main', input: null, runId: 'r' } as const
    await Promise.all([client.run(spec), client.run(spec)])
    await client.plan(spec)
    expect(engines.asked).toEqual(['r start'])
  })

  test('another input under the id of one that another process begins at the same moment is refused', async () => {
    const { client } = await both()
    const spec = { kind: 'program', name: 'main', runId: 'r' } as const
    await client.run({ ...spec, input: 'a' })
    vi.spyOn(client.journal, 'summary').mockResolvedValueOnce(undefined)
    const held = new MandateError('LEASE_HELD', 'Run "r" is being run by another process.')
    vi.spyOn(client.journal, 'acquire').mockRejectedValueOnce(held)
    await expect(client.run({ ...spec, input: 'b' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  })

  test('are cut from where they were started', async () => {
    const { client } = await both()
    const { abort, outcome } = client.begin({ kind: 'program', name: 'main', input: null, runId: 'r' })
    abort('no longer wanted')
    await outcome
    await expect.poll(async () => (await client.journal.summary('r'))?.state).toBe('cancelled')
  })

  test('one that ends whoever drives it is suspended as in doubt, with the reason in its journal, and can be resumed', async () => {
    const { client, worker, engines } = await both()
    const journal = client.journal
    // A process that dies leaves a run that is under way and has no driver.
    const dead = kernelWith({ journal, engine: pair().client, minds: [asking] })
    await dead.plan({ kind: 'program', name: 'main', input: null, runId: 'r' }).catch(() => {})
    expect((await journal.summary('r'))!.state).toBe('running')
    await engines.host().standDown('r', 'three workers died with it')
    expect(await journal.summary('r')).toMatchObject({ state: 'suspended', suspendReason: 'in-doubt' })
    expect(await linesOf(worker.journal)).toContain('note')
    // A second time changes nothing.
    const { seq } = (await journal.summary('r'))!.head
    await engines.host().standDown('r', 'again')
    expect((await journal.summary('r'))!.head.seq).toBe(seq)
    expect(await client.resume('r')).toMatchObject({ state: 'suspended', reason: 'approval' })
  })

  test('a cell of a session is driven by the process that has the session, and its answer wakes no other', async () => {
    const { client, engines, called } = await both()
    client.registry.registerMind({
      ...asking,
      kind: 'cell',
      name: 'cells',
    })
    const spec = { kind: 'cell', name: 'cells', input: null, runId: 'c' } as const
    expect(await client.run(spec)).toMatchObject({ state: 'suspended', reason: 'approval' })
    await client.respond((await client.approvals())[0]!.id, { answer: 'approve' })
    expect(called).toEqual([])
    expect(outputOf(await client.resume('c'))).toBe('ok')
    expect(called).toEqual(['client'])
    expect(engines.asked).toEqual([])
  })

  test('the text of a call that no piece of was heard comes whole before the entry that ends the call', async () => {
    const engines = pair()
    const journal = memoryJournal()
    const mind = program('main', async (_, context) => {
      const asked = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] }
      const effect = { kind: 'model' as const, name: 'm', input: asked as unknown as Json, origin: 'mind' }
      return (await context.perform(effect)).status
    })
    const worker = kernelWith({ engine: engines.worker, journal, minds: [mind] })
    worker.registry.registerModel('m', scripted(['Hello.']))
    await worker.attach()
    const events: RunEventBus = new EventBus()
    const told: string[] = []
    events.onRun('r', (event) => {
      if (event.type === 'text-delta') told.push(event.data.text)
      else if (event.type === 'effect-end') told.push(event.type)
    })
    const client = kernelWith({ engine: engines.client, journal, minds: [mind], events })
    expect(outputOf(await client.run({ kind: 'program', name: 'main', input: null, runId: 'r' }))).toBe('ok')
    expect(told).toEqual(['Hello.', 'effect-end'])
  })
})
