import { expect, test } from 'vitest'
import { delay } from '../core/index.ts'
import { fakeClock } from './index.ts'

test('what a timer sets off settles before the next timer fires', async () => {
  const clock = fakeClock()
  const log: string[] = []
  const strand = async (name: string, ms: number): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await delay(clock, ms)
      await Promise.resolve()
      log.push(`${name} ${clock.now()}`)
    }
  }
  void strand('a', 10)
  void strand('b', 15)
  await clock.run(30)
  expect(log).toEqual(['a 10', 'b 15', 'a 20', 'b 30', 'a 30'].toSorted(byTime))
  expect(clock.now()).toBe(30)
  await clock.run(15)
  expect(log.at(-1)).toBe('b 45')
})

function byTime(a: string, b: string): number {
  return Number(a.split(' ')[1]) - Number(b.split(' ')[1])
}

test('time passes until a promise is settled, and no further', async () => {
  const clock = fakeClock(1_000)
  const slow = (async () => {
    await delay(clock, 60_000)
    await delay(clock, 3_600_000)
    return clock.now()
  })()
  clock.timer(10_000_000, () => expect.fail('too far'))
  expect(await clock.runUntil(slow)).toBe(3_661_000)
  await expect(clock.runUntil(Promise.reject(new Error('refused')))).rejects.toThrow('refused')
})

test('a promise that no timer can settle is told instead of waited for', async () => {
  const clock = fakeClock(5)
  await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow('not settled at 5, and no timer is left')
  const again = (): void => void clock.timer(1_000, again)
  again()
  await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow('after 10000 timers')
})

test('a clock that ticks at every reading still comes to the right time', async () => {
  const clock = fakeClock(0, 1)
  const fired: number[] = []
  clock.timer(100, () => fired.push(clock.now()))
  await clock.run(200)
  expect(fired).toEqual([101])
  expect(clock.now()).toBeGreaterThanOrEqual(201)
})
