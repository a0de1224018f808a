import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { callsFor } from './calls.ts'
import { GROWING } from './growing.ts'

const child = fileURLToPath(new URL('growth-child.ts', import.meta.url))
const run = promisify(execFile)

/** What the program may hold, and the heap of the process that it runs in: the platform and our own code need some of it. */
const MEMORY_MB = 8
const HEAP_MB = 64
const FORMS: ReadonlySet<string> = new Set(['spread', 'escapes', 'indices'])

test('what built-ins make stays within a small multiple of the memory limit', { timeout: 120_000 }, async () => {
  const limits = JSON.stringify({ fuel: 4_000, memoryBytes: MEMORY_MB * 1024 * 1024 })
  const names = Object.keys(GROWING)
  const args = [`--max-old-space-size=${HEAP_MB}`, child, limits, ...names]
  // A process that runs out of heap ends with the name of what it was at.
  const { stdout } = await run(process.execPath, args).catch((error: unknown) => error as { stdout: string })
  const ends = stdout.split('\n').filter(Boolean)
  expect(ends.filter((line) => !/\t(memoryBytes|fuel)$/.test(line))).toEqual([])
  expect(ends.map((line) => line.split('\t')[0])).toEqual(names)
})

test('every name is one of a built-in', () => {
  expect(Object.keys(GROWING).filter((name) => !FORMS.has(name) && callsFor(name) === undefined)).toEqual([])
})
