import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'mandate-large-'))
const path = join(folder, 'large.csv')
const LINES = 1_400_000

beforeAll(() => {
  const file = openSync(path, 'w')
  for (let line = 0; line < LINES; line += 10_000) {
    let text = ''
    for (let one = line; one < line + 10_000; one += 1)
      text += `${one},user ${(one * 7_919) % 10_007},${one % 97 === 0 ? 'ERROR' : 'INFO'},some text of a line with é and number ${one}\n`
    writeSync(file, text)
  }
  closeSync(file)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Works on the file in a process that has little memory. */
function inSmallHeap(megabytes: number): Record<string, unknown> {
  const script = fileURLToPath(new URL('./large-context.ts', import.meta.url))
  const args = [`--max-old-space-size=${megabytes}`, '--expose-gc', '--conditions=mandate-source', script, path]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, unknown>
}

test('a file of 100 MB is searched, counted, divided and read by records in a heap of 64 MB, and little of it stays', () => {
  const found = inSmallHeap(64)
  expect(found['bytes']).toBeGreaterThan(90_000_000)
  expect(found).toMatchObject({
    lineCount: LINES,
    errors: Math.ceil(LINES / 97),
    plain: Math.ceil(LINES / 97),
    tally: Math.ceil(LINES / 97),
    last: `number ${LINES - 1}`,
    records: LINES - 1,
    record: '700001',
    line: '1300000',
  })
  // The modules alone take 25 MB.
  expect(found['grown']).toBeLessThan(16_000_000)
  expect(found['parts']).toBeGreaterThan(400)
})
