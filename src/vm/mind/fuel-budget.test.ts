import { describe, expect, test } from 'vitest'
import type { BudgetLimits, Json } from '../../core/index.ts'
import { foldRun, memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal, RunEndData } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import type { KernelOptions, RunContext, RunOutcome } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import { program } from '../builder/program.ts'
import { script } from '../script/index.ts'
import { registerProgram, runProgram } from './run-program.ts'

const LOOP = 'let n = 0; for (let i = 0; i < args.turns; i++) n += i; return n'

async function kernelWith(options: KernelOptions = {}): Promise<Kernel> {
  const kernel = new Kernel(options)
  kernel.registry.registerTool(
    defineTool({ name: 'ask', inputSchema: { type: 'object' }, risk: 'write', needsApproval: true, run: () => 1 }),
  )
  await registerProgram(kernel, script(LOOP), { name: 'loop', fuel: 1e6 })
  await registerProgram(kernel, script(`await tools.ask({}); ${LOOP}`), { name: 'asking', fuel: 1e6 })
  return kernel
}

/** Runs `loop` several times as children of one run. */
function parent(kernel: Kernel, turns: readonly number[], isParallel = false): void {
  kernel.registry.registerMind({
    kind: 'program',
    name: 'parent',
    async start(_input: Json, context: RunContext) {
      const one = (count: number, index: number): Promise<string> =>
        context
          .perform({ kind: 'program', name: 'loop', key: `c${index}`, input: { turns: count } })
          .then((outcome) => (outcome.status === 'failed' ? outcome.error.message : outcome.status))
      if (isParallel) return Promise.all(turns.map(one))
      const statuses: string[] = []
      for (const [index, count] of turns.entries()) statuses.push(await one(count, index))
      return statuses
    },
  })
}

async function spentBy(journal: Journal, run: string): Promise<RunEndData['spent']> {
  return foldRun(await readAll(journal, run)).end!.spent
}

async function fuelOf(turns: number): Promise<number> {
  const kernel = await kernelWith()
  await kernel.run({ kind: 'program', name: 'loop', input: { turns }, runId: 'f' })
  return (await spentBy(kernel.journal, 'f')).fuel!
}

function outputOf(outcome: RunOutcome): readonly string[] {
  return outcome.state === 'completed' ? (outcome.output as readonly string[]) : [outcome.state]
}

const start = (kernel: Kernel, budget: BudgetLimits): ReturnType<Kernel['run']> =>
  kernel.run({ kind: 'program', name: 'parent', input: null, runId: 'r', budget })

describe('fuel', () => {
  test('is counted with the run, and ends a program that the budget has no more for', async () => {
    const kernel = await kernelWith()
    const run = (runId: string, fuel: number): ReturnType<Kernel['run']> =>
      kernel.run({ kind: 'program', name: 'loop', input: { turns: 10_000 }, runId, budget: { fuel } })
    expect(await run('a', 10_000)).toMatchObject({ state: 'completed' })
    const used = (await spentBy(kernel.journal, 'a')).fuel!
    expect(used).toBeGreaterThan(50)
    expect(await run('b', used / 2)).toMatchObject({
      state: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('`budget.fuel`') },
    })
    expect((await spentBy(kernel.journal, 'b')).fuel).toBeLessThanOrEqual(used / 2 + 0.001)
  })

  test('is shared by all programs of a tree, one after another and side by side', async () => {
    const one = await fuelOf(10_000)
    for (const isParallel of [false, true]) {
      const kernel = await kernelWith()
      parent(kernel, [10_000, 10_000, 10_000], isParallel)
      const outcome = await start(kernel, { fuel: one * 2.5 })
      const statuses = outputOf(outcome)
      expect(statuses.filter((status) => status === 'ok').length, String(isParallel)).toBeLessThan(3)
      expect(statuses.some((status) => status.includes('`budget.fuel`'))).toBe(true)
      expect((await spentBy(kernel.journal, 'r')).fuel).toBeLessThanOrEqual(one * 2.5 + 0.001)
    }
  })

  test('that a child used is counted once for its tree', async () => {
    const one = await fuelOf(10_000)
    const kernel = await kernelWith()
    parent(kernel, [10_000, 10_000])
    await start(kernel, { fuel: one * 10 })
    expect((await spentBy(kernel.journal, 'r')).fuel).toBeCloseTo(one * 2, 3)
  })

  test('of a program that another one runs is paid by both and counted once', async () => {
    const kernel = await kernelWith()
    const outer = program
      .agentRun({ agentId: 'loop', input: { turns: 10_000 } })
      .as('x')
      .return({ value: program.val('x') })
    const outcome = await runProgram(kernel, outer, {}, { name: 'outer', fuel: 1e6, runId: 'r', budget: { fuel: 1e5 } })
    const { fuelUsed } = (outcome as unknown as { output: { fuelUsed: number } }).output
    expect((await spentBy(kernel.journal, 'r')).fuel).toBeCloseTo(fuelUsed, 3)
    expect(fuelUsed).toBeGreaterThan(await fuelOf(10_000))
  })

  test('is the same after a suspension, in this process and in another', async () => {
    for (const isOther of [false, true]) {
      const journal = memoryJournal()
      let kernel = await kernelWith({ journal })
      const input = { turns: 10_000 }
      const begun = await kernel.run({ kind: 'program', name: 'asking', input, runId: 'r', budget: { fuel: 5_000 } })
      expect(begun.state).toBe('suspended')
      if (isOther) kernel = await kernelWith({ journal })
      const [request] = await kernel.approvals()
      await kernel.respond(request!.id, { answer: 'approve' })
      expect(await kernel.resume('r')).toMatchObject({ state: 'completed' })
      const { fuel } = await spentBy(journal, 'r')
      const { output } = foldRun(await readAll(journal, 'r')).end!
      expect(fuel).toBeCloseTo((output as { fuelUsed: number }).fuelUsed, 3)
    }
  })
})

describe('memory', () => {
  const HOLD = script('const all = []; for (let i = 0; i < args.size; i++) all.push([i]); return all.length')

  test('is the most that any one program of the tree held, and ends one that needs more', async () => {
    const kernel = new Kernel()
    const run = (runId: string, budget: BudgetLimits): ReturnType<typeof runProgram> =>
      runProgram(kernel, HOLD, { size: 20_000 }, { name: 'hold', fuel: 1e6, runId, budget })
    expect(await run('a', {})).toMatchObject({ state: 'completed' })
    const { memory } = await spentBy(kernel.journal, 'a')
    expect(memory).toBeGreaterThan(100_000)
    expect(await run('b', { memory: Math.floor(memory! / 2) })).toMatchObject({
      state: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('`budget.memory`') },
    })
    expect(await run('c', { memory: memory! * 2 })).toMatchObject({ state: 'completed' })
  })
})
