import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import { memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { registerProgram, runProgram } from '../../src/vm/index.ts'
import { shareOf } from '../rotation.ts'

/** Chains that cross: which call comes next depends on which of the others ended first. */
const SOURCE = `
  const log = []
  const chain = async (name, turns) => {
    let last = name
    for (let i = 0; i < turns; i++) {
      last = await tools.act({ text: last + i })
      log.push(last)
      if (i % 2 === 1) last = await tools.keep({ text: last })
    }
    return last
  }
  const first = await Promise.all(args.names.map((name, index) => chain(name, 1 + index)))
  const racers = [chain('x', 1), chain('y', 2)]
  const raced = await Promise.race(racers)
  await Promise.all(racers)
  const settled = await Promise.allSettled([tools.fail({ text: 'no' }), chain('z', 1)])
  let total = 0
  for (let i = 0; i < 2000; i++) total += i
  return { first, settled: settled.map((one) => one.status), count: log.length > 5, raced: typeof raced, total, chance: Math.random() < 1 }
`
const ARGS = { names: ['a', 'b', 'c', 'd'] }
const OPTIONS = { name: 'main', fuel: 10_000 }

interface World {
  readonly kernel: Kernel
  /** What was done, by idempotency key. */
  readonly done: Map<string, number>
}

function world(journal: Journal, seed: string, done: Map<string, number> = new Map()): World {
  const kernel = new Kernel({ journal, limits: { leaseMs: 1 } })
  const random = seededRandom(seed)
  for (const name of ['act', 'keep', 'fail'])
    kernel.registry.registerTool(
      defineTool({
        name,
        risk: 'write',
        // Only some may be repeated; of the others a person is asked whether they happened.
        idempotent: name !== 'keep',
        inputSchema: { type: 'object' },
        run: async ({ text }: { text: string }, { idempotencyKey }) => {
          await sleep(random.next() * 4)
          done.set(idempotencyKey, (done.get(idempotencyKey) ?? 0) + 1)
          if (name === 'fail') throw new Error('it failed')
          return `${text}!`
        },
      }),
    )
  return { kernel, done }
}

async function cut(entries: readonly Entry[], count: number): Promise<Journal> {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'r', owner: 'gone', ttlMs: 0, now: 0 })
  await journal.append(lease, 0, entries.slice(0, count))
  await journal.release(lease)
  return journal
}

/** Resumes until it is over; of what is in doubt a person says that it did not happen, so it is done. */
async function finish(kernel: Kernel): Promise<unknown> {
  let outcome = await kernel.resume('r')
  for (let turns = 0; outcome.state === 'suspended' && turns < 50; turns++) {
    for (const { id } of await kernel.approvals('r')) await kernel.respond(id, { answer: 'not-happened' })
    outcome = await kernel.resume('r')
  }
  return outcome.state === 'completed' ? (outcome.output as { result: unknown }).result : outcome
}

describe('a script with calls that cross each other', () => {
  test.each(shareOf(['one', 'two', 'three'], 3))(
    'killed after any entry, it comes to the same end, and nothing is done twice that may not be (%s)',
    async (seed) => {
      const whole = world(memoryJournal(), seed)
      const outcome = await runProgram(whole.kernel, SOURCE, ARGS, { ...OPTIONS, runId: 'r' })
      expect(outcome).toMatchObject({ state: 'completed' })
      expect(await whole.kernel.replay('r')).toMatchObject({ identical: true })
      const expected = (outcome as unknown as { output: { result: { first: unknown; settled: unknown } } }).output
        .result
      const entries = await readAll(whole.kernel.journal, 'r')
      expect(entries.length).toBeGreaterThan(25)
      for (let count = 1; count < entries.length; count++) {
        const { kernel, done } = world(await cut(entries, count), `${seed}/${count}`)
        await registerProgram(kernel, SOURCE, OPTIONS)
        expect(await finish(kernel), `cut after ${count}`).toEqual(expected)
        expect(await kernel.replay('r'), `cut after ${count}`).toMatchObject({ identical: true })
        expect(await kernel.verify('r')).toMatchObject({ ok: true })
        expect(
          [...done.values()].every((times) => times === 1),
          `cut after ${count}`,
        ).toBe(true)
        const ended = new Set(
          entries
            .slice(0, count)
            .filter(({ type }) => type === 'effect-end')
            .map(({ key }) => `r/${key}`),
        )
        expect(
          [...done.keys()].filter((key) => ended.has(key)),
          `cut after ${count}`,
        ).toEqual([])
        await kernel.stop()
      }
      await whole.kernel.stop()
    },
  )
})
