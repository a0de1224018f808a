import { describe, expect, it } from 'vitest'
import { memoryJournal, readAll } from '../journal/index.ts'
import type { Journal } from '../journal/index.ts'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../memory/index.ts'
import { checkTranscript, textOf } from '../model/index.ts'
import { isSweep } from '../../test/rotation.ts'
import type { AgentConfig } from './config/config-types.ts'
import { calls, cutAfter, host, model, tool } from './agent.fixture.ts'
import type { AgentService } from './service/service.ts'
import { planSteps } from './config/strategies.ts'

/** What the tools of a scenario really did. */
type Done = string[]

const EXECUTOR = 'an executor that performs'

const scenarios: readonly [string, (done: Done, facts: { idempotent: boolean }) => Promise<AgentConfig>][] = [
  [
    'parallel tools and a cut reply',
    async (done, facts) => ({
      model: model([
        calls('a', 'b', 'missing'),
        { text: 'Half.', ...calls('a') },
        { text: 'The end is c', finishReason: 'length' },
      ]),
      tools: [tool('a', () => (done.push('a'), 'A'), facts), tool('b', () => (done.push('b'), 'B'), facts)],
    }),
  ],
  [
    'a fallback tool, a re-asked answer and a fallback model',
    async (done, facts) => ({
      model: model([calls('broken'), { error: 'down' }, 'No JSON.', '{"ok":true}'], { name: 'main' }),
      fallbackModel: model(['unused', 'No JSON.', '{"ok":true}'], { name: 'spare' }),
      fallbackProvider: model(() => '{"toolName":"a","input":{}}', { name: 'proposer' }),
      tools: [
        tool('broken', () => Promise.reject(new Error('no')), facts),
        tool('a', () => (done.push('a'), 'A'), facts),
      ],
      output: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    }),
  ],
  [
    'hooks, a prompt of the store, memory and hydration',
    async (done, facts) => {
      const [prompts, database] = [inMemoryPrompts(), inMemoryDatabase()]
      await prompts.put({ id: 'p', text: 'Be {{how}}.' })
      await database.write('notes', 'n', { note: 'likes tea' })
      return {
        model: model([calls('a'), 'Done.']),
        tools: [tool('a', () => (done.push('a'), 'A'), facts)],
        hooks: [(run) => void (run.systemPrompt += ' Be kind.')],
        promptStore: prompts,
        instructions: { template: 'p', params: { how: 'brief' } },
        memoryClient: inMemory(),
        databaseClient: database,
        hydrate: { collection: 'notes' },
      }
    },
  ],
  [
    'a planner and a reflector',
    async (done, facts) => ({
      planner: planSteps(
        [
          { type: 'message', message: 'I go.' },
          { type: 'tool', toolId: 'a' },
          { type: 'tool', toolId: 'a' },
        ],
        { type: 'internal' },
        { type: 'finish', message: 'Done.' },
      ),
      reflector: { reflect: ({ turn }) => (turn === 1 ? { done: false, message: 'Go on.' } : undefined) },
      tools: [tool('a', () => (done.push('a'), 'A'), facts)],
    }),
  ],
  [
    EXECUTOR,
    async (done, facts) => ({
      model: model([calls('a', 'a'), 'Done.']),
      tools: [tool('a', () => (done.push('a'), 'A'), facts)],
      executor: {
        execute: async ({ toolId }, { perform }) =>
          ((await perform({ kind: 'tool', name: toolId!, input: {} })) as { value?: unknown }).value,
      },
    }),
  ],
  [
    'compaction',
    async (done, facts) => ({
      model: model(({ messages }) => {
        if (textOf(messages.at(-1)!) === 'Summarise now.') return 'A summary.'
        return JSON.stringify(messages).includes('A summary.') && messages.at(-1)!.role === 'tool'
          ? 'Done.'
          : calls({ name: 'a', input: { at: messages.length } })
      }),
      tools: [tool('a', () => (done.push('a'), 'x'.repeat(900)), facts)],
      history: { maxTokens: 700, compact: true },
    }),
  ],
]

/** The short suite interrupts at every third moment, the sweep at every one. */
const STEP = isSweep ? 1 : 3

/** The parts of a result that must not depend on when the process died. */
async function essence(service: AgentService, run: string) {
  const ended = await service.result(run)
  const { status, text, result, steps, actions } = ended
  const { toolsUsed } = ended.report()
  const messages = await service.messages(run)
  expect(checkTranscript(messages)).toEqual([])
  // Calls that run side by side may end in another order after a crash; the conversation has them in the order of the calls.
  const done = actions.map(({ id, ok }) => `${id} ${ok}`).toSorted()
  return { status, text, result, toolsUsed: toolsUsed.toSorted(), steps, actions: done, messages }
}

describe.each(scenarios)('a run with %s', (name, build) => {
  const repeatable = { idempotent: true }

  it('comes to the same wherever its process died', async () => {
    const first = host(await build([], repeatable))
    await first.run('main', 'Go.', { runId: 'r', sessionId: 's' })
    const whole = await essence(first, 'r')
    const entries = (await readAll(first.journal, 'r')).length
    expect(await first.replay('r')).toMatchObject({ identical: true, complete: true })
    for (let count = 1; count < entries; count += STEP) {
      const journal = await cutAfter(first.journal, 'r', count)
      const service = host(await build([], repeatable), { journal })
      // As far as it went, it replays; then it goes on. (What an undecided executor had performed is replayed by nobody.)
      if (name !== EXECUTOR) expect(await service.replay('r')).toMatchObject({ identical: true, complete: false })
      const resumed = await service.resume('r')
      if (resumed.suspendReason === 'in-doubt') {
        // Writing to memory is not repeatable, so a person is asked; here it had not happened.
        for (const { id } of await service.approvals('r')) await service.settle(id, 'not-happened')
        await service.resume('r')
      }
      expect({ count, ...(await essence(service, 'r')) }).toEqual({ count, ...whole })
      expect(await service.verify('r')).toMatchObject({ ok: true })
      expect(await service.replay('r')).toMatchObject({ identical: true, complete: true })
    }
  })

  it('comes to the same, and does nothing twice, whenever its service is stopped', async () => {
    const performed: Done = []
    const plain = host(await build(performed, { idempotent: false }))
    await plain.run('main', 'Go.', { runId: 'r', sessionId: 's' })
    const whole = await essence(plain, 'r')
    for (let events = 1; ; events += STEP) {
      const done: Done = []
      const journal: Journal = memoryJournal()
      const config = await build(done, { idempotent: false })
      const service = host(config, { journal })
      let seen = 0
      let stopped: Promise<unknown> | undefined
      service.events.on('*', () => {
        if (++seen === events) stopped = service.stop()
      })
      const result = await service.run('main', 'Go.', { runId: 'r', sessionId: 's' })
      await stopped
      const second = host(config, { journal })
      if (result.status === 'await_user') {
        expect(result.suspendReason).toBe('interrupt')
        await second.resume('r')
      }
      expect({ events, done, ...(await essence(second, 'r')) }).toEqual({ events, done: performed, ...whole })
      if (stopped === undefined) break
    }
  })

  it('can be cancelled at any moment: it ends, its calls have results, and it replays', async () => {
    for (let events = 1; ; events += STEP) {
      const service = host(await build([], repeatable), { limits: { cancelGraceMs: 50 } })
      let seen = 0
      const run = service.run('main', 'Go.', { runId: 'r', sessionId: 's' })
      service.events.on('*', () => {
        if (++seen === events) void run.cancel()
      })
      const result = await run
      const isCut = seen >= events
      expect(checkTranscript(await service.messages('r'))).toEqual([])
      expect(await service.verify('r')).toMatchObject({ ok: true })
      expect(await service.replay('r')).toMatchObject({ identical: true })
      if (!isCut) break
      expect({ events, isOver: result.status !== 'await_user' }).toEqual({ events, isOver: true })
    }
  })
})
