import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { SECRET, ground } from './workspace.fixture.ts'

const isFull = process.env['MANDATE_FULL'] === '1'
const OPERATIONS = isFull ? 100_000 : 5_000

/** Swaps a folder of the workspace for a link to the outside and back, as fast as it can. */
const SWAPPER = `
  const { renameSync } = require('node:fs')
  const { workerData: { root, flag } } = require('node:worker_threads')
  const stop = new Int32Array(flag)
  while (Atomics.load(stop, 0) === 0) {
    try { renameSync(root + '/d', root + '/parked'); renameSync(root + '/evil', root + '/d'); renameSync(root + '/d', root + '/evil'); renameSync(root + '/parked', root + '/d') } catch {}
  }
`

test(
  'while a folder is swapped for a link to the outside, nothing outside is read or written',
  { timeout: 600_000 },
  async () => {
    const { root, outside, call } = ground()
    mkdirSync(join(root, 'd'))
    writeFileSync(join(root, 'd/secret'), 'inside')
    symlinkSync(outside, join(root, 'evil'))
    const flag = new SharedArrayBuffer(4)
    const swapper = new Worker(SWAPPER, { eval: true, workerData: { root, flag } })
    const counts = { inside: 0, refused: 0 }
    try {
      for (let done = 0; done < OPERATIONS; done += 4) {
        const outcomes = await Promise.all([
          answered(call('read_file', { path: 'd/secret' })),
          answered(call('list_files', { path: 'd' })),
          answered(call('search_files', { text: 'secret', path: 'd' })),
          answered(call('write_file', { path: 'd/new', content: 'x' })),
        ])
        for (const text of outcomes) {
          expect(text).not.toContain(SECRET)
          counts[text.startsWith('!') ? 'refused' : 'inside'] += 1
        }
      }
    } finally {
      Atomics.store(new Int32Array(flag), 0, 1)
      await swapper.terminate()
    }
    expect(readdirSync(outside)).toEqual(['secret'])
    // Both sides of the race must have been met, or it was none.
    expect(counts.inside).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(0)
    console.log(`files: ${OPERATIONS} raced operations, ${counts.refused} refused, 0 outside the workspace`)
  },
)

async function answered(call: Promise<unknown>): Promise<string> {
  return call.then(
    (value) => JSON.stringify(value),
    (error: Error) => `!${error.message}`,
  )
}
