import { expect, test } from 'vitest'
import { Batcher } from './batcher.ts'
import type { Settled } from './batcher.ts'

interface Ask {
  readonly key: string
  readonly value: number
}

/** A batcher whose batches wait to be let go. */
function held(lanes: number, sizeOf?: (ask: Ask) => number) {
  const batches: {
    readonly requests: readonly Ask[]
    readonly answer: (answers?: readonly Settled<number>[]) => void
  }[] = []
  const batcher = new Batcher<Ask, number>({
    execute: (requests) =>
      new Promise((resolve) => {
        batches.push({ requests, answer: (answers = requests.map(({ value }) => ({ value }))) => resolve(answers) })
      }),
    keyOf: ({ key }) => key,
    sizeOf,
    lanes,
  })
  const seen = (): string[] =>
    batches.map(({ requests }) => requests.map(({ key, value }) => `${key}${value}`).join(' '))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return { batcher, batches, seen, turn }
}

test('concurrent requests share a batch, and later ones go into the next', async () => {
  const { batcher, batches, seen, turn } = held(1)
  const first = [batcher.ask({ key: 'a', value: 1 }), batcher.ask({ key: 'b', value: 2 })]
  await turn()
  const second = [batcher.ask({ key: 'c', value: 3 }), batcher.ask({ key: 'd', value: 4 })]
  await turn()
  expect(seen()).toEqual(['a1 b2'])
  batches[0]!.answer()
  expect(await Promise.all(first)).toEqual([1, 2])
  await turn()
  expect(seen()).toEqual(['a1 b2', 'c3 d4'])
  batches[1]!.answer()
  await Promise.all(second)
  expect(batcher.counts).toEqual({ batches: 2, requests: 4 })
})

test('two with the same key never go at the same time, and never in another order', async () => {
  const { batcher, batches, seen, turn } = held(2)
  const all = [1, 2, 3].map((value) => batcher.ask({ key: 'a', value }))
  void batcher.ask({ key: 'b', value: 9 })
  await turn()
  void batcher.ask({ key: 'c', value: 9 })
  await turn()
  expect(seen()).toEqual(['a1 b9', 'c9'])
  batches[1]!.answer()
  await turn()
  expect(seen()).toHaveLength(2)
  batches[0]!.answer()
  await turn()
  batches[2]!.answer()
  await turn()
  batches[3]!.answer()
  expect(await Promise.all(all)).toEqual([1, 2, 3])
  expect(seen()).toEqual(['a1 b9', 'c9', 'a2', 'a3'])
})

test('a batch is limited by its size, and a failing one fails no other', async () => {
  const { batcher, batches, seen, turn } = held(1, () => 5_000_000)
  const asked = ['a', 'b', 'c'].map((key) => batcher.ask({ key, value: 1 }))
  await turn()
  expect(seen()).toEqual(['a1 b1'])
  batches[0]!.answer([{ error: new Error('not this one') }, { value: 7 }])
  await expect(asked[0]).rejects.toThrow('not this one')
  expect(await asked[1]).toBe(7)
  const resting = batcher.rest()
  await turn()
  batches[1]!.answer()
  await resting
  expect(await asked[2]).toBe(1)
  await batcher.rest()
})

test('a load that cannot be carried at all is refused to each of its askers', async () => {
  const batcher = new Batcher<Ask, number>({
    execute: async () => Promise.reject(new Error('gone')),
    keyOf: ({ key }) => key,
    lanes: 1,
  })
  const asked = [batcher.ask({ key: 'a', value: 1 }), batcher.ask({ key: 'b', value: 1 })]
  for (const one of asked) await expect(one).rejects.toThrow('gone')
  await batcher.rest()
})
