import { expect, test } from 'vitest'
import { Kernel } from '../../run/index.ts'
import { AgentVM } from '../agent-vm.ts'
import { registerProgram, runProgram } from '../mind/run-program.ts'

const program = { mandate: 1, op: 'seq', steps: [{ op: 'return', value: 1 }] }
const vm = new AgentVM()

const STRANGE: readonly (readonly [options: object, says: string])[] = [
  [{ fule: 3 }, '`fule` is not an option of a program. Did you mean `fuel`?'],
  [{ fule: undefined }, 'Did you mean `fuel`?'],
  [{ quota: { storeGet: 1 } }, 'Did you mean `quotas`?'],
  [{ costOverrides: { storeGte: 1 } }, '`costOverrides`: `storeGte` is not an operation of this machine. Did you mean'],
  [{ costOverrides: { frobnicate: () => 1 } }, 'Known: '],
  [{ costOverrides: { varSet: () => 1 } }, 'Give a number'],
  [{ costOverrides: { cache: 1 } }, 'costs what the steps cost'],
  [{ timeoutOverrides: { httpfetch: 0 } }, 'Did you mean `httpFetch`?'],
  [{ timeoutOverrides: { while: 5 } }, 'no time of their own'],
  [{ quotas: { serach: 1 }, capabilities: { tools: { search: () => 1 } } }, 'Did you mean `search`?'],
  [{ quotas: { map: 1 } }, 'only computes'],
  [{ quotas: { split: 1 } }, 'only computes'],
]

test.each(STRANGE)('a run with %j is refused', async (options, says) => {
  const refusal = { code: 'CONFIG_INVALID', message: expect.stringContaining(says) as string }
  await expect(vm.run(program, {}, options)).rejects.toMatchObject(refusal)
})

test('what is known is not refused: operations of every kind, and tools', async () => {
  const options = {
    costOverrides: { split: 1, storeGet: () => 2 },
    timeoutOverrides: { httpFetch: 5, memoize: 0 },
    quotas: { storeGet: 1, search: 2 },
    capabilities: { tools: { search: () => 1 } },
  }
  expect((await vm.run(program, {}, options)).result).toBe(1)
})

test('the same holds under the kernel; a tool that comes later can have a quota, one that never comes cannot', async () => {
  const kernel = new Kernel()
  await expect(runProgram(kernel, program, {}, { bugdet: { steps: 1 } } as never)).rejects.toThrow('`budget`')
  await expect(registerProgram(kernel, program, { fule: 1 } as never)).rejects.toThrow('`fuel`')
  await expect(runProgram(kernel, program, {}, { costOverrides: { storeGte: 1 } })).rejects.toThrow('`storeGet`')
  const outcome = await runProgram(kernel, program, {}, { quotas: { serach: 1 } })
  expect(outcome).toMatchObject({ state: 'failed', error: { code: 'CONFIG_INVALID' } })
  const name = await registerProgram(kernel, program, { name: 'later', quotas: { search: 1 } })
  kernel.registry.registerTool({ name: 'search', run: () => 1 } as never)
  expect(await kernel.run({ kind: 'program', name, input: {} })).toMatchObject({ state: 'completed' })
})

const STEPS = [
  { op: 'varsLet', a: 1, b: 2 },
  { op: 'varsImport', keys: ['c', 'd'] },
  { op: 'while', condition: { $expr: 'literal', value: false }, body: [] },
  { op: 'map', items: [1, 2], as: 'x', steps: [{ op: 'varSet', key: 'result', value: 1 }], result: 'e' },
  { op: 'if', condition: { $expr: 'literal', value: true }, then: [{ op: 'varSet', key: 'a', value: 1 }] },
]

test.each([
  ['varsLet', 0.2, 1],
  ['varsImport', 0.2, 1],
  ['while', 0.1, 1],
  ['map', 1, 1],
  ['if', 0.1, 1],
  ['varSet', 0.1, 3],
])('a step of the language costs what the host says: %s, instead of %d, %d times', async (op, own, times) => {
  const usual = await vm.run({ op: 'seq', steps: STEPS })
  const dear = await vm.run({ op: 'seq', steps: STEPS }, {}, { costOverrides: { [op]: 7 } })
  expect(usual.error).toBeUndefined()
  expect(dear.fuelUsed - usual.fuelUsed).toBeCloseTo((7 - own) * times, 6)
  const free = await vm.run({ op: 'seq', steps: STEPS }, {}, { costOverrides: { [op]: 0 } })
  expect(usual.fuelUsed - free.fuelUsed).toBeCloseTo(own * times, 6)
})
