import { expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import {
  call,
  eventually,
  gate,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
} from '../kernel/kernel.fixture.ts'
import { localEngine } from './local-engine.ts'

const two = program('main', async (_, context): Promise<Json> => {
  const first = await call(context, 'first')
  return [first.status, (await call(context, 'second')).status]
})
/** A child is drained with its parent. */
const above = program(
  'main',
  async (_, context) => context.perform({ kind: 'program', name: 'below', input: null }) as never,
)

test.each(['run', 'child'])(
  'a %s whose engine drains lets the call in flight end, begins nothing new, and goes on elsewhere without doubt',
  async (kind) => {
    const journal = memoryJournal()
    const clock = manualClock(0)
    const hold = gate()
    const called: string[] = []
    const minds = kind === 'run' ? [two] : [above, { ...two, name: 'below' }]
    const slow = tool('first', async () => (called.push('first'), await hold.promise, 1), { risk: 'write' })
    const second: Tool = tool('second', () => called.push('second'))
    const kernelOf = (drainMs: number): Kernel =>
      kernelWith({ journal, clock, minds, tools: [slow, second], engine: Object.assign(localEngine(), { drainMs }) })
    const first = kernelOf(20_000)
    const outcome = runMain(first)
    await eventually(() => called.length === 1)
    const stopped = first.stop()
    await rest()
    // Longer than an interrupted call has, and shorter than one that is drained.
    clock.advance(19_000)
    await rest()
    hold.resolve()
    expect(await outcome).toMatchObject({ state: 'suspended', reason: 'interrupt' })
    expect((await stopped).suspended.map(({ run }) => run)).toContain('r')
    expect(called).toEqual(['first'])
    const output = outputOf(await kernelOf(0).resume('r'))
    expect(output).toEqual(kind === 'run' ? ['ok', 'ok'] : { status: 'ok', value: ['ok', 'ok'] })
    expect(called).toEqual(['first', 'second'])
  },
)

test('a call that takes longer than its engine drains is interrupted as without it', async () => {
  const journal = memoryJournal()
  const clock = manualClock(0)
  let isCalled = false
  const slow = tool('first', () => ((isCalled = true), new Promise(() => {})), { risk: 'write' })
  const engine = Object.assign(localEngine(), { drainMs: 5_000 })
  const kernel = kernelWith({ journal, clock, minds: [two], tools: [slow], engine })
  const outcome = runMain(kernel)
  await eventually(() => isCalled)
  const stopped = kernel.stop()
  await rest()
  clock.advance(5_000)
  await rest()
  clock.advance(1_000)
  expect(await outcome).toMatchObject({ state: 'suspended', reason: 'interrupt' })
  await stopped
  expect((await linesOf(journal)).at(-1)).toBe('run-suspend')
})
