import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFull } from '../rotation.ts'
import { callAll, folder, isSound, journalAt, kernelWith, runMain, tool } from './bench.ts'

/** Far more than a result may have. */
const MEGABYTES = isFull ? 50 : 2
const good = tool('good', () => 'fine')

const bad: readonly [string, ReturnType<typeof tool>, object][] = [
  [
    'throws',
    tool('bad', () => {
      throw new Error('broken pipe')
    }),
    { status: 'failed', error: { code: 'TOOL_FAILED', message: 'broken pipe' } },
  ],
  [
    'rejects with nothing',
    tool('bad', () => Promise.reject(undefined)),
    { status: 'failed', error: { code: 'TOOL_FAILED' } },
  ],
  [
    'throws an object without a prototype',
    tool('bad', () => {
      throw Object.create(null)
    }),
    { status: 'failed', error: { code: 'TOOL_FAILED' } },
  ],
  [
    'hangs',
    tool('bad', () => new Promise(() => {}), { timeoutMs: 20 }),
    { status: 'failed', error: { code: 'TIMEOUT', message: expect.stringContaining('20 ms') } },
  ],
  [
    `returns ${MEGABYTES} MB`,
    tool('bad', () => 'x'.repeat(MEGABYTES * 1024 * 1024)),
    { status: 'ok', value: expect.stringContaining('[cut:') },
  ],
  [
    `returns ${MEGABYTES} MB of small things`,
    tool('bad', () => Array.from({ length: MEGABYTES * 40_000 }, (_, index) => `item ${index}`)),
    { status: 'ok', value: expect.arrayContaining([expect.stringContaining('[cut:')]) },
  ],
  [
    'returns a cyclic object',
    tool('bad', () => {
      const cyclic: Record<string, unknown> = { a: 1 }
      cyclic['self'] = cyclic
      return cyclic
    }),
    { status: 'ok', value: { a: 1, self: '[cycle]' } },
  ],
  [
    'returns what cannot be read',
    tool('bad', () => ({
      get secret(): never {
        throw new Error('no')
      },
    })),
    { status: 'ok', value: '[unreadable]' },
  ],
  ['returns a function', tool('bad', () => () => 1), { status: 'ok', value: '[function]' }],
  ['returns nothing', tool('bad', () => undefined), { status: 'ok', value: null }],
  [
    'has a validator that throws',
    tool('bad', () => 1, {
      validate: () => {
        throw new Error('bad schema')
      },
    }),
    { status: 'denied', reason: expect.stringContaining('bad schema') },
  ],
  [
    'gives up in the middle of its progress',
    tool('bad', async function* () {
      yield 1
      throw new Error('half way')
    }),
    { status: 'failed', error: { message: 'half way' } },
  ],
]

for (const [how, tool_, outcome] of bad) {
  test(`a tool that ${how} is an outcome that says so; what comes after it works, and nothing is lost`, async () => {
    const journal = journalAt(join(await folder(), 'journal.db'))
    const kernel = kernelWith({ journal, start: callAll('good', 'bad', 'good'), tools: [good, tool_] })
    const ended = await runMain(kernel)
    expect(ended).toMatchObject({
      state: 'completed',
      output: [{ status: 'ok' }, outcome, { status: 'ok', value: 'fine' }],
    })
    expect(JSON.stringify(ended).length).toBeLessThan(1024 * 1024)
    expect(await isSound(kernel)).toBe(true)
  })
}

test('a tool that floods its listeners, or whose listeners throw, breaks nothing', async () => {
  const noisy = tool('bad', (_, { emit }) => {
    for (let index = 0; index < 10_000; index++) emit('noise', { index })
    return 'done'
  })
  const kernel = kernelWith({ start: callAll('bad'), tools: [noisy] })
  let heard = 0
  kernel.events.on('noise', () => {
    heard += 1
    throw new Error('I do not want to hear it')
  })
  expect(await runMain(kernel)).toMatchObject({ state: 'completed', output: [{ status: 'ok', value: 'done' }] })
  expect([heard, await isSound(kernel)]).toEqual([10_000, true])
})

test('a tool that goes on talking after it was cut is not heard', async () => {
  let goOn: () => void = () => {}
  const late = tool('bad', (_, { emit }) => new Promise(() => (goOn = () => emit('late', null))), { timeoutMs: 10 })
  const kernel = kernelWith({ start: callAll('bad'), tools: [late] })
  let heard = 0
  kernel.events.on('late', () => (heard += 1))
  await runMain(kernel)
  goOn()
  expect(heard).toBe(0)
})
