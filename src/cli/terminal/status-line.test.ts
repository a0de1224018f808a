import { expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import { StatusLine } from './status-line.ts'

const ERASE = '\r\u001B[2K'

function world(text: string, columns = 80) {
  const clock = manualClock(0)
  const written: string[] = []
  const state = { isFree: true }
  const line = new StatusLine({
    screen: { columns, write: (piece) => written.push(piece) },
    text: (elapsedMs) => `${text} ${elapsedMs} ms`,
    isFree: () => state.isFree,
    clock,
  })
  return { clock, written, state, line }
}

test('is drawn after 300 ms and then again and again, each time over itself', () => {
  const { clock, written, line } = world('turn 1')
  clock.advance(299)
  expect(written).toEqual([])
  clock.advance(101)
  expect(written).toEqual([`${ERASE}⠋ turn 1 300 ms`, `${ERASE}⠙ turn 1 400 ms`])
  line.stop()
  clock.advance(1_000)
  expect(written.slice(2)).toEqual([ERASE])
})

test('is erased once, and not drawn while a line of text or a prompt is open', () => {
  const { clock, written, state, line } = world('turn 1')
  clock.advance(300)
  line.erase()
  line.erase()
  state.isFree = false
  clock.advance(500)
  expect(written).toEqual([`${ERASE}⠋ turn 1 300 ms`, ERASE])
  state.isFree = true
  clock.advance(100)
  expect(written).toHaveLength(3)
})

test('never wraps, and holds nothing that acts on the terminal or is wider than it counts', () => {
  const { clock, written } = world(`\u001B[31m漢字 ${'x'.repeat(100)}`, 20)
  clock.advance(300)
  expect(written[0]!.slice(ERASE.length)).toBe(`⠋ ?? ${'x'.repeat(14)}`)
})
