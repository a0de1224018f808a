import { expect, test } from 'vitest'
import { sampleRun, tamperEntry } from '../testing/index.ts'
import { ENTRY_VERSION } from './index.ts'
import { ENTRY_TYPES } from './entry.ts'
import { checkVersion, upcast } from './versions.ts'

const entry = sampleRun('run')[0]!

test('every type of the current version is known', () => {
  for (const type of ENTRY_TYPES) expect(() => checkVersion(tamperEntry(entry, { type }))).not.toThrow()
})

test.each([ENTRY_VERSION + 1, 0, -1, 1.5, Number.NaN])('version %d is refused', (v) => {
  expect(() => checkVersion({ ...entry, v })).toThrow(
    expect.objectContaining({ code: 'VERSION_UNSUPPORTED', message: expect.stringContaining('Nothing was changed') }),
  )
})

test('a type that is not known is refused rather than skipped', () => {
  expect(() => checkVersion(tamperEntry(entry, { type: 'run-pause' }))).toThrow('"run-pause" is not known')
})

test('an entry of the current version is given as it is', () => {
  expect(upcast(entry)).toBe(entry)
})
