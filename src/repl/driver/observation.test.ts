import { expect, it } from 'vitest'
import { observation } from './observation.ts'

const cell = { stdout: '', variablesChanged: [] }

it('a cell is told with what it printed, its value, its error and what it set', () => {
  expect(observation({ stdout: 'a\nb\n', value: { n: 1 }, variablesChanged: ['x', 'y'] }, 100)).toBe(
    'Printed:\na\nb\n\nValue:\n{\n "n": 1\n}\n\nVariables set: x, y\n\nWrite the next cell, or call answer(text) when you know the answer.',
  )
  const failed = observation({ ...cell, stdout: 'a', error: { code: 'TIMEOUT', message: 'late' } }, 100)
  expect(failed).toContain('Printed:\na')
  expect(failed).toContain('Error (TIMEOUT): late')
  expect(failed).toContain('mends')
})

it.each([
  [
    { code: 'MIND_FAILED', name: 'TypeError', message: 'x is null', line: 2, column: 7 },
    'TypeError: x is null (line 2, column 7)',
  ],
  [{ code: 'MIND_FAILED', message: 'thrown text' }, 'Error (MIND_FAILED): thrown text'],
  [
    { code: 'TOOL_FAILED', name: 'Error', message: 'no answer', line: 1, column: 3 },
    'Error (TOOL_FAILED): no answer (line 1, column 3)',
  ],
  [
    { code: 'INPUT_INVALID', message: '`x` is not defined (line 1, column 1). Declare it.', line: 1, column: 1 },
    'Error (INPUT_INVALID): `x` is not defined (line 1, column 1). Declare it.',
  ],
])('an error is told with its name and its place: %j', (error, text) => {
  expect(observation({ ...cell, error }, 1000)).toContain(`${text}\n`)
})

it('a silent cell is told as such', () => {
  expect(observation(cell, 100)).toContain('without output')
})

it('long output keeps its beginning and its end, and says how much is left out', () => {
  const text = observation({ ...cell, stdout: `${'a'.repeat(500)}${'z'.repeat(500)}` }, 100)
  expect(text).toContain(`${'a'.repeat(70)}\n… 900 of 1000 characters left out.`)
  expect(text).toContain(`…\n${'z'.repeat(30)}\n`)
})

it('a character of two units is not split by the cut', () => {
  for (let shift = 0; shift < 4; shift++)
    expect(observation({ ...cell, stdout: 'x'.repeat(shift) + '😀'.repeat(200) }, 101).isWellFormed()).toBe(true)
})
