import { expect, test } from 'vitest'
import { Gathering } from './batcher.ts'
import type { Settled } from './batcher.ts'

interface Ask {
  readonly key: string
  readonly value: number
}

/** A gathering whose loads wait to be let go. */
function held(lanes: number, sizeOf?: (ask: Ask) => number) {
  const loads: { readonly asks: readonly Ask[]; readonly answer: (answers?: readonly Settled<number>[]) => void }[] = []
  const gathering = new Gathering<Ask, number>({
    carry: (asks) =>
      new Promise((resolve) => {
        loads.push({ asks, answer: (answers = asks.map(({ value }) => ({ value }))) => resolve(answers) })
      }),
    keyOf: ({ key }) => key,
    sizeOf,
    lanes,
  })
  const seen = (): string[] => loads.map(({ asks }) => asks.map(({ key, value }) => `${key}${value}`).join(' '))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return { gathering, loads, seen, turn }
}

test('what is asked together goes together, and what comes meanwhile goes next', async () => {
  const { gathering, loads, seen, turn } = held(1)
  const first = [gathering.ask({ key: 'a', value: 1 }), gathering.ask({ key: 'b', value: 2 })]
  await turn()
  const second = [gathering.ask({ key: 'c', value: 3 }), gathering.ask({ key: 'd', value: 4 })]
  await turn()
  expect(seen()).toEqual(['a1 b2'])
  loads[0]!.answer()
  expect(await Promise.all(first)).toEqual([1, 2])
  await turn()
  expect(seen()).toEqual(['a1 b2', 'c3 d4'])
  loads[1]!.answer()
  await Promise.all(second)
  expect(gathering.counts).toEqual({ loads: 2, asks: 4 })
})

test('two with the same key never go at the same time, and never in another order', async () => {
  const { gathering, loads, seen, turn } = held(2)
  const all = [1, 2, 3].map((value) => gathering.ask({ key: 'a', value }))
  void gathering.ask({ key: 'b', value: 9 })
  await turn()
  void gathering.ask({ key: 'c', value: 9 })
  await turn()
  expect(seen()).toEqual(['a1 b9', 'c9'])
  loads[1]!.answer()
  await turn()
  expect(seen()).toHaveLength(2)
  loads[0]!.answer()
  await turn()
  loads[2]!.answer()
  await turn()
  loads[3]!.answer()
  expect(await Promise.all(all)).toEqual([1, 2, 3])
  expect(seen()).toEqual(['a1 b9', 'c9', 'a2', 'a3'])
})

test('a load ends where it is large enough, and one that failed fails nobody else', async () => {
  const { gathering, loads, seen, turn } = held(1, () => 5_000_000)
  const asked = ['a', 'b', 'c'].map((key) => gathering.ask({ key, value: 1 }))
  await turn()
  expect(seen()).toEqual(['a1 b1'])
  loads[0]!.answer([{ error: new Error('not this one') }, { value: 7 }])
  await expect(asked[0]).rejects.toThrow('not this one')
  expect(await asked[1]).toBe(7)
  const resting = gathering.rest()
  await turn()
  loads[1]!.answer()
  await resting
  expect(await asked[2]).toBe(1)
  await gathering.rest()
})

test('a load that cannot be carried at all is refused to each of its askers', async () => {
  const gathering = new Gathering<Ask, number>({
    carry: async () => Promise.reject(new Error('gone')),
    keyOf: ({ key }) => key,
    lanes: 1,
  })
  const asked = [gathering.ask({ key: 'a', value: 1 }), gathering.ask({ key: 'b', value: 1 })]
  for (const one of asked) await expect(one).rejects.toThrow('gone')
  await gathering.rest()
})
