import { expect, test } from 'vitest'
import { defineTool } from '../tool/index.ts'
import type { Tool } from '../tool/index.ts'
import { expectEntries, testAgent } from './index.ts'

const tool = (name: string, facts: Partial<Tool> = {}): Tool =>
  defineTool({ name, risk: 'read', run: () => `${name} done`, ...facts } as Tool)

const script = [
  { text: 'First I search.', toolCalls: [{ name: 'search' }, { name: 'read' }] },
  { toolCalls: [{ name: 'send' }] },
  'All done.',
]

test('stubbed replies, captured events and the sequence of actions', async () => {
  const bench = testAgent({ tools: [tool('search'), tool('read'), tool('send')] }, { script })
  const result = await bench.run('Do it.')
  expect(result).toMatchObject({ lastText: 'All done.' })
  await bench.expectActions(['search', 'read', 'send'])
  bench.events.expectSequence([
    'run-start',
    { type: 'effect-start', data: { kind: 'tool', name: 'search' } },
    'text-delta',
    { type: 'run-end', data: { state: 'completed' } },
  ])
  expect(bench.model?.requests).toHaveLength(3)
  await expect(bench.expectActions(['search', 'send'])).rejects.toThrow(
    'Action 2 should be send and is read. All actions: search, read, send.',
  )
  await expect(bench.expectActions(['search', 'read', 'send', 'sleep'])).rejects.toThrow(
    'Action 4 should be sleep and is absent',
  )
  await expect(bench.expectActions([{ name: 'search' }] as never)).rejects.toThrow(
    'Action 1 should be {"name":"search"}, which is no name of a tool, and is search.',
  )
  await bench.stop()
})

test('two benches with the same seed write the same journal, another seed another', async () => {
  const write = async (seed?: number): Promise<unknown> => {
    const bench = testAgent({ tools: [tool('search'), tool('read'), tool('send')] }, { script, seed })
    await bench.run('Do it.')
    return bench.entries()
  }
  const first = await write()
  expect(await write()).toEqual(first)
  expect(await write(2)).not.toEqual(first)
})

test('a backoff of minutes passes at once', async () => {
  const bench = testAgent({}, { script: [{ error: 'busy', retriable: true, retryAfterMs: 50_000 }, 'Here I am.'] })
  const started = bench.clock.now()
  expect(await bench.run('Hello?')).toMatchObject({ text: 'Here I am.' })
  expect(bench.clock.now() - started).toBeGreaterThanOrEqual(50_000)
  await expectEntries(bench.journal, (await bench.entries())[0]!.run).toFollow(['effect-retry', 'run-end'])
})

test('a run that waits for a person is approved and resumed', async () => {
  const bench = testAgent(
    { tools: [tool('send', { needsApproval: true })] },
    { script: [{ toolCalls: [{ name: 'send' }] }, 'Sent.'] },
  )
  expect(await bench.run('Send it.')).toMatchObject({ status: 'await_user' })
  await bench.expectActions([])
  const [waiting] = await bench.service.approvals()
  await bench.service.approve(waiting!.id)
  expect(await bench.resume()).toMatchObject({ lastText: 'Sent.' })
  await bench.expectActions(['send'])
})

test('time stands still while a tool really waits', async () => {
  const slow = defineTool({
    name: 'slow',
    risk: 'read',
    timeoutMs: 5_000,
    run: async function* () {
      yield 'half'
      await new Promise((resolve) => setTimeout(resolve, 60))
      return 'ready'
    },
  })
  const bench = testAgent({ tools: [slow] }, { script: [{ toolCalls: [{ name: 'slow' }] }, 'Done.'] })
  const started = bench.clock.now()
  expect(await bench.run('Go.')).toMatchObject({ actions: [{ output: 'ready' }] })
  expect(bench.clock.now() - started).toBeLessThan(1_000)
})

test('with manual time nothing moves until the test says so', async () => {
  const bench = testAgent({}, { script: [{ text: 'Late.', delayMs: 1_000 }], time: 'manual' })
  const running = bench.run('Hello?')
  await bench.clock.run(500)
  expect(bench.events.of('run-end')).toEqual([])
  await bench.clock.run(600)
  expect(await running).toMatchObject({ text: 'Late.' })
})

test('in-memory clients are there when they are asked for', async () => {
  const bench = testAgent({ id: 'rememberer' }, { script: ['Noted.'], clients: true })
  await bench.run('Remember the tea.')
  await expectEntries(bench.journal, (await bench.entries())[0]!.run).toFollow([
    { type: 'effect-start', data: { kind: 'memory' } },
    { type: 'effect-end', data: { outcome: { status: 'ok' } } },
  ])
})

test('a model and a script at once, and questions about a run that never was, are refused', async () => {
  expect(() => testAgent({ model: testAgent({}, { script: ['x'] }).model }, { script: ['y'] })).toThrow(
    'Give one of them',
  )
  await expect(testAgent({}, { script: ['x'] }).expectActions([])).rejects.toThrow('Nothing has been run yet')
})
