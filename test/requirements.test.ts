import { expect, test } from 'vitest'
import { findProgram, locate } from './requirements.ts'

test('a program on the PATH is found without installing anything', () => {
  expect(locate({ program: 'node', neededFor: 'everything' })).toMatch(/node$/)
})

test('a missing program is announced and not thrown', () => {
  const written: string[] = []
  const write = process.stdout.write
  process.stdout.write = (text: string | Uint8Array) => written.push(String(text)) > 0
  try {
    const env = { ...process.env }
    delete process.env['CI']
    delete process.env['MANDATE_INSTALL']
    expect(findProgram({ program: 'no-such-program-here', neededFor: 'the impossible' })).toBeUndefined()
    process.env = env
  } finally {
    process.stdout.write = write
  }
  expect(written.join('')).toContain('SKIPPED: the impossible (no-such-program-here is not here)')
})
