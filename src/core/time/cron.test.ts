import { describe, expect, test } from 'vitest'
import { cron } from './cron.ts'

const next = (text: string, after: string, zone?: string): string =>
  new Date(cron(text, zone).next(Date.parse(after))).toISOString()

describe('a cron expression', () => {
  test.each([
    ['*/15 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:15:00.000Z'],
    ['0 9 * * 1-5', '2026-01-02T09:00:00Z', '2026-01-05T09:00:00.000Z'],
    ['0 9 * * mon-fri', '2026-01-02T08:59:59Z', '2026-01-02T09:00:00.000Z'],
    ['30 8 1 jan,jul *', '2026-01-01T08:30:00Z', '2026-07-01T08:30:00.000Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00.000Z'],
    // Either of both days.
    ['0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
    ['@daily', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
    ['5/20 * * * *', '2026-01-01T00:06:00Z', '2026-01-01T00:25:00.000Z'],
  ])('%s after %s is %s', (text, after, at) => {
    expect(next(text, after)).toBe(at)
  })

  test('goes by the clocks of its time zone', () => {
    expect(next('0 9 * * *', '2026-01-10T12:00:00Z', 'Europe/Berlin')).toBe('2026-01-11T08:00:00.000Z')
    expect(next('0 9 * * *', '2026-07-10T12:00:00Z', 'Europe/Berlin')).toBe('2026-07-11T07:00:00.000Z')
    expect(next('0 9 * * *', '2026-01-10T23:00:00Z', 'Asia/Tokyo')).toBe('2026-01-11T00:00:00.000Z')
    expect(next('0 0 * * *', '2026-01-10T23:00:00Z', 'Pacific/Auckland')).toBe('2026-01-11T11:00:00.000Z')
  })

  test('fires right after a local time that is left out, and once for one that comes twice', () => {
    // At two o'clock on 29 March 2026 it is three in Berlin; at three on 25 October it is two again.
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
    expect(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
    expect(next('30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin')).toBe('2026-10-26T01:30:00.000Z')
  })

  test.each([
    ['* * * *', 'has 4 fields'],
    ['__proto__', 'has 1 fields'],
    ['60 * * * *', 'has "60" as its minute'],
    ['0 24 * * *', 'has "24" as its hour'],
    ['0 0 0 * *', 'day of the month'],
    ['0 0 5-2 * *', 'ends before it begins'],
    ['x * * * *', 'has "x" as its minute'],
    ['*/0 * * * *', 'has "0" as its minute'],
  ])('%s is refused: %s', (text, message) => {
    expect(() => cron(text)).toThrow(message)
  })

  test('refuses a day that never comes, and an unknown time zone', () => {
    expect(() => cron('0 0 30 2 *').next(0)).toThrow('never comes')
    expect(() => cron('0 0 * * *', 'Europe/Nowhere')).toThrow('There is no time zone')
  })
})
