import { expect, test } from 'vitest'
import { Kernel } from '../../run/index.ts'
import { AgentVM } from '../agent-vm.ts'
import { memoryStore } from '../atoms/host/memory-store.ts'
import type { VmResult } from '../machine/result.ts'
import { runProgram } from '../mind/run-program.ts'

const ident = (name: string): object => ({ $expr: 'ident', name })
const sum = (left: object, value: number): object => ({
  ...{ $expr: 'binary', op: '+', left, right: { $expr: 'literal', value } },
})
const below = (name: string, value: number): object => ({
  ...{ $expr: 'binary', op: '<', left: ident(name), right: { $expr: 'literal', value } },
})
const set = (key: string, value: unknown): object => ({ op: 'varSet', key, value })

const EVERYTHING = [
  set('i', 0),
  {
    op: 'while',
    condition: below('i', 3),
    body: [set('i', sum(ident('i'), 1)), { op: 'scope', steps: [set('k', 1)] }],
  },
  { op: 'map', items: [1, 2], as: 'x', steps: [set('result', sum(ident('x'), 1))], result: 'ys' },
  { op: 'try', try: [{ op: 'Error', args: ['no'] }, set('never', 1)], catch: [set('caught', ident('error'))] },
  { op: 'storeSet', key: 'a', value: ident('ys') },
  { op: 'storeGet', key: 'a', result: 'kept' },
  { op: 'callLocal', name: 'twice', args: [ident('i')], result: 'six' },
  { op: 'if', condition: below('i', 9), then: [{ op: 'return', value: ident('six') }, set('never', 2)] },
  set('never', 3),
]
const helpers = { twice: { params: ['n'], steps: [{ op: 'return', value: sum(ident('n'), 3) }, set('never', 4)] } }

async function both(steps: readonly object[]): Promise<{ plain: VmResult; traced: VmResult }> {
  const run = async (trace: boolean): Promise<VmResult> =>
    new AgentVM().run({ op: 'seq', steps, helpers }, {}, { trace, capabilities: { store: memoryStore() } })
  return { plain: await run(false), traced: await run(true) }
}

test('tracing changes neither what a program gives nor what it costs', async () => {
  const { plain, traced } = await both(EVERYTHING)
  expect(plain.error).toBeUndefined()
  expect(traced).toMatchObject({ result: plain.result, fuelUsed: plain.fuelUsed, memoryPeak: plain.memoryPeak })
})

test('the fuel of the steps adds up: each begins where the one before it ended, and inside the one around it', async () => {
  const { traced } = await both(EVERYTHING)
  const top = traced.trace!.filter(({ path }) => /^steps\[\d+\]$/.test(path!))
  expect(top.map(({ op }) => op)).toEqual([
    ...['varSet', 'while', 'map', 'try', 'storeSet', 'storeGet', 'callLocal', 'callLocal', 'if'],
  ])
  for (const [index, entry] of top.slice(1).entries()) expect(entry.fuelBefore).toBeCloseTo(top[index]!.fuelAfter, 9)
  // Beside them there is only the way in, with the arguments, and the way out, with the result.
  expect(top[0]!.fuelBefore).toBeCloseTo(0.022, 9)
  expect(traced.fuelUsed - top.at(-1)!.fuelAfter).toBeCloseTo(0.001, 9)
  const loop = top[1]!
  const turns = traced.trace!.filter(({ path }) => path!.startsWith('steps[1].body'))
  expect(turns).toHaveLength(9)
  for (const { fuelBefore, fuelAfter } of turns) {
    expect(fuelAfter).toBeGreaterThan(fuelBefore)
    expect(fuelBefore).toBeGreaterThan(loop.fuelBefore)
    expect(fuelAfter).toBeLessThanOrEqual(loop.fuelAfter)
  }
  // 0.1 for the step, 0.01 each for the setting, the variable and the value.
  expect(top[0]!.fuelAfter - top[0]!.fuelBefore).toBeCloseTo(0.13, 9)
})

test('an entry says what a step got, gave and changed, as copies', async () => {
  const { trace } = (await both(EVERYTHING)).traced
  const of = (op: string): object[] => trace!.filter((entry) => entry.op === op)
  expect(of('varSet').slice(0, 2)).toMatchObject([{ stateDiff: { i: 0 } }, { stateDiff: { i: 1 } }])
  expect(of('varSet')[0]).not.toHaveProperty('result')
  expect(of('map')).toMatchObject([{ result: [2, 3], stateDiff: { ys: [2, 3] } }])
  expect(of('storeSet')).toMatchObject([{ input: { key: 'a', value: [2, 3] } }])
  expect(of('storeGet')).toMatchObject([{ input: { key: 'a' }, result: [2, 3], stateDiff: { kept: [2, 3] } }])
  expect(of('Error')).toMatchObject([{ isFailed: true }])
  expect(of('return').at(-1)).toMatchObject({ result: 6 })
})

test('a value is copied when it is noted, and described where it is large', async () => {
  const push = { op: 'push', list: ident('list'), item: 1, result: 'list' }
  const steps = [set('list', []), push, push, set('long', { $expr: 'literal', value: 'x'.repeat(5_000) })]
  const { trace } = await new AgentVM().run({ op: 'seq', steps }, {}, { trace: true })
  expect(trace!.map(({ stateDiff }) => stateDiff)).toEqual([
    ...[{ list: [] }, { list: [1] }, { list: [1, 1] }, { long: { $cut: 'text of 5000' } }],
  ])
  const small = await new AgentVM().run({ op: 'seq', steps }, {}, { trace: true, limits: { outputBytes: 20 } })
  expect(small.trace!.at(-1)).toMatchObject({ stateDiff: { long: { $cut: 'text of 5000' } } })
  expect(small.trace![2]).toMatchObject({ stateDiff: { list: { $cut: 'list of 2' } } })
})

test('times are those of the clock that was given', async () => {
  let time = 1_000
  const clock = { now: () => (time += 5), timer: () => () => {} }
  const { trace } = await new AgentVM().run(
    { op: 'seq', steps: [set('a', 1), set('b', 2)] },
    {},
    { trace: true, clock },
  )
  const [first, second] = trace!
  expect(first!.timestamp).toBeGreaterThan(1_000)
  expect(second!.timestamp).toBeGreaterThan(first!.timestamp)
})

test('where labels are followed, no value leaves by the trace', async () => {
  const options = { trace: true, labels: 'always' } as const
  const outcome = await runProgram(
    new Kernel(),
    { op: 'seq', steps: [set('a', { $kind: 'arg', path: 's' })] },
    { s: 'sesame' },
    options,
  )
  const { trace } = (outcome as unknown as { output: { trace: object[] } }).output
  expect(trace).toHaveLength(1)
  expect(JSON.stringify(trace)).not.toContain('sesame')
})
