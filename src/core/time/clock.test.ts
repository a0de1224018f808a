import { afterEach, expect, test, vi } from 'vitest'
import { afterMicrotasks, afterTurn, delay, manualClock, systemClock } from '../index.ts'

afterEach(() => void vi.useRealTimers())

test('a manual clock stands still, or advances by the given tick', () => {
  const still = manualClock(5)
  expect([still.now(), still.now()]).toEqual([5, 5])
  const ticking = manualClock(5, 2)
  expect([ticking.now(), ticking.now()]).toEqual([7, 9])
})

test('timers fire in the order in which they come due, each at its moment', () => {
  const clock = manualClock(100)
  const fired: string[] = []
  clock.timer(30, () => fired.push(`c ${clock.now()}`))
  clock.timer(10, () => {
    fired.push(`a ${clock.now()}`)
    clock.timer(5, () => fired.push(`b ${clock.now()}`))
  })
  const cancel = clock.timer(20, () => fired.push('never'))
  cancel()
  expect(clock.next).toBe(110)
  clock.advance(29)
  expect(fired).toEqual(['a 110', 'b 115'])
  clock.advance(1)
  expect(fired).toEqual(['a 110', 'b 115', 'c 130'])
  expect(clock.next).toBeUndefined()
})

test('a clock that is set back fires nothing and continues from there', () => {
  const clock = manualClock(1_000)
  let fired = 0
  clock.timer(100, () => (fired += 1))
  clock.set(10)
  expect([clock.now(), fired]).toEqual([10, 0])
  clock.advance(1_090)
  expect(fired).toBe(1)
})

test('a wait longer than the platform can count is taken in pieces', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let fired = 0
  const days = 60 * 24 * 3_600_000
  systemClock.timer(days, () => (fired += 1))
  const cancel = systemClock.timer(days, () => (fired += 10))
  // Long waits begin when the turn is over.
  await new Promise<void>((resolve) => afterTurn(resolve))
  vi.advanceTimersByTime(days - 1)
  expect(fired).toBe(0)
  cancel()
  vi.advanceTimersByTime(1)
  expect(fired).toBe(1)
})

test('a wait of no time or less fires soon, not never', async () => {
  expect(await Promise.all([delay(systemClock, 0), delay(systemClock, -5)])).toHaveLength(2)
})

test('after microtasks means after all of them', async () => {
  const order: string[] = []
  const done = new Promise<void>((resolve) =>
    afterMicrotasks(() => {
      order.push('macrotask')
      resolve()
    }),
  )
  await Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => order.push('microtask'))
  await done
  expect(order).toEqual(['microtask', 'macrotask'])
})

const burn = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('callbacks after a turn keep their order, and give the loop a turn when callbacks that are due together take long', async () => {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  const seen: [name: number, turn: number][] = []
  await new Promise<void>((resolve) => {
    for (const name of [1, 2, 3]) {
      afterTurn(() => {
        seen.push([name, turn])
        burn(10)
      })
    }
    afterTurn(resolve)
    setImmediate(count)
  })
  isOver = true
  expect(seen.map(([name]) => name)).toEqual([1, 2, 3])
  expect(new Set(seen.map(([, at]) => at)).size).toBe(3)
})
