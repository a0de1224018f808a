import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { builtPackage } from '../built-package.ts'

const child = fileURLToPath(new URL('sessions-child.ts', import.meta.url))
const run = promisify(execFile)

/** Each run or session holds about 4 MB in memory: without a bound the 60th does not fit. */
const HEAP_MB = 192

test.each([
  ['runs', 'runs of an agent in code mode'],
  ['closed', 'closed sessions'],
  ['open', 'open sessions'],
])(
  '%s: a process whose cells hold much finishes any number of %s in a bounded heap',
  { timeout: 300_000 },
  async (what) => {
    const { flags } = await builtPackage()
    const args = [`--max-old-space-size=${HEAP_MB}`, ...flags, child, what, '90']
    const { stdout } = await run(process.execPath, args)
    expect(JSON.parse(stdout)).toEqual({ done: 90, ...(what === 'open' ? { first: 20_000 } : {}) })
  },
)
