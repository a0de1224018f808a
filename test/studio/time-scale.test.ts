import { describe, expect, it } from 'vitest'
import { TimeScale, idlesOf } from '../../studio/src/pages/run/time-scale.ts'

const HOUR = 3_600_000
const WAITED = [
  { at: 0, type: 'run-start' },
  { at: 10, type: 'effect-start', key: 'a' },
  { at: 5_010, type: 'effect-end', key: 'a' },
  { at: 5_020, type: 'approval-request', key: 'b' },
  { at: 5_030, type: 'run-suspend' },
  { at: HOUR, type: 'approval-response', key: 'b' },
  { at: HOUR + 10, type: 'run-resume' },
  { at: HOUR + 20, type: 'effect-start', key: 'b' },
  { at: HOUR + 4_020, type: 'effect-end', key: 'b' },
] as const

describe('the axis of a timeline', () => {
  it('leaves out the time in which nothing was under way, and no other', () => {
    expect(idlesOf(WAITED)).toEqual([{ from: 5_030, to: HOUR }])
  })

  it('leaves out the time between a crash, or the making of a fork, and the resumption', () => {
    const crashed = [
      { at: 0, type: 'run-start' },
      { at: 10, type: 'effect-start', key: 'a' },
      { at: HOUR, type: 'run-resume' },
    ] as const
    expect(idlesOf(crashed)).toEqual([{ from: 10, to: HOUR }])
  })

  it('finds the same while entries come one by one as in all of them at once, and has a place for each of many', () => {
    const days = Array.from({ length: 300 }, (_, day) =>
      WAITED.map((entry) => ({ ...entry, at: entry.at + day * 2 * HOUR })),
    )
    const all = days.flat()
    const growing: typeof all = []
    for (const entry of all) {
      growing.push(entry)
      idlesOf(growing)
    }
    expect(idlesOf(growing)).toEqual(idlesOf(all))
    expect(idlesOf(growing)).toHaveLength(599)
    const { place } = new TimeScale(idlesOf(all), { from: 0, to: all.at(-1)!.at })
    const places = all.map(({ at }) => place(at))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    // Every idle time is as long as every other one on the axis.
    const lengths = new Set(idlesOf(all).map(({ from, to }) => Math.round(place(to) - place(from))))
    expect([...lengths]).toEqual([1_000])
  })

  it('says how long something took without the time in which it waited, whichever part of that belongs to it', () => {
    const { worked } = new TimeScale(idlesOf(WAITED), { from: 0, to: HOUR + 4_020 })
    expect(worked(5_020, HOUR + 4_020)).toBe(10 + 4_020)
    expect(worked(0, 5_010)).toBe(5_010)
    expect(worked(10_000, 20_000)).toBe(0)
    expect(worked(HOUR - 1_000, HOUR + 20)).toBe(20)
    const twice = [...WAITED, ...WAITED.map((entry) => ({ ...entry, at: entry.at + 2 * HOUR }))]
    const scale = new TimeScale(idlesOf(twice), { from: 0, to: 3 * HOUR + 4_020 })
    // Both waits, and the time between the two.
    expect(scale.worked(0, 3 * HOUR + 4_020)).toBe(2 * (5_030 + 4_020))
  })

  it('stays the same while a run goes on, until something is idle again or much more has happened', () => {
    const at = (to: number): TimeScale => new TimeScale(idlesOf(WAITED), { from: 0, to })
    const now = HOUR + 4_020
    expect(at(now + 1_000).isLike(at(now))).toBe(true)
    expect(at(now + 10_000).isLike(at(now))).toBe(false)
    expect(new TimeScale([], { from: 0, to: now }).isLike(at(now))).toBe(false)
  })

  it('gives most of its room to what happened, in its order', () => {
    const { place } = new TimeScale(idlesOf(WAITED), { from: 0, to: HOUR + 4_020 })
    const places = WAITED.map(({ at }) => place(at))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    const all = places.at(-1)! - places[0]!
    expect((place(5_010) - place(10)) / all).toBeGreaterThan(0.5)
    expect((place(HOUR + 4_020) - place(HOUR + 20)) / all).toBeGreaterThan(0.4)
  })
})
