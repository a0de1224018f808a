import type { CountSubject, Counters, StoreCase } from './case.ts'

type Case = CountSubject extends { start(): Promise<{ open(options: infer O): unknown }> }
  ? StoreCase<Counters, O>
  : never

/** Counters that outlive runs. */
export const countCases: readonly Case[] = [
  {
    name: 'a counter is summed from a moment on, that moment included',
    async check(store, expect) {
      let counters = await store.open({})
      await counters.addCount('calls', 1_000, 1)
      await counters.addCount('calls', 1_000, 2)
      await counters.addCount('calls', 2_000.5, 0.25)
      await counters.addCount('other', 3_000, 9)
      if (store.isShared) {
        await counters.close()
        counters = await store.open({})
      }
      expect(await counters.sumCount('calls', 0)).toBe(3.25)
      expect(await counters.sumCount('calls', 1_000)).toBe(3.25)
      expect(await counters.sumCount('calls', 1_000.5)).toBe(0.25)
      expect(await counters.sumCount('calls', 2_000.5)).toBe(0.25)
      expect(await counters.sumCount('calls', 2_001)).toBe(0)
      expect(await counters.sumCount('nobody', 0)).toBe(0)
    },
  },
  {
    name: 'what many add at once is all counted, under any name',
    async check(store, expect) {
      const one = await store.open({})
      const two = store.isShared ? await store.open({}) : one
      const names = ['a', 'a:b', 'ü \ud800 \u0000', '*']
      await Promise.all(
        names.flatMap((name) =>
          Array.from({ length: 50 }, (_, index) => (index % 2 ? one : two).addCount(name, index % 5, 1)),
        ),
      )
      for (const name of names) expect(await one.sumCount(name, 0)).toBe(50)
      expect(await two.sumCount('a', 3)).toBe(20)
    },
  },
]
