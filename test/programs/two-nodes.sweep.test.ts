import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Rolldown } from 'tsdown'
import { expect, test } from 'vitest'
import { root } from '../tidy/sources.ts'

/** Another Node.js than this one: `MANDATE_OTHER_NODE`, or the first on the path whose version differs. */
function otherNode(): string | undefined {
  const named = process.env['MANDATE_OTHER_NODE']
  if (named !== undefined) return named
  const found = (process.env['PATH'] ?? '').split(delimiter).map((dir) => join(dir, 'node'))
  return found.find(
    (file) => existsSync(file) && realpathSync(file) !== process.execPath && version(file) !== process.version,
  )
}

function version(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
}

const ENTRY = `import { Eval } from '../../src/vm/script/eval.ts'
import { cases } from '../../test/differential/cases/index.ts'
const limits = { fuel: 100_000 }
// Before Node.js 22, which is older than we support, sets have no such methods.
for (const { body } of cases.filter(({ body }) => !body.includes('.symmetricDifference('))) {
  const { fuelUsed, memoryPeak, error } = await Eval('(async () => {' + body + '\\n})()', { limits, now: () => 1_700_000_000_000 })
  console.log(JSON.stringify([fuelUsed, memoryPeak, error?.code ?? null, body]))
}
`

const other = otherNode()
if (other === undefined)
  process.stdout.write('SKIPPED: fuel in two versions of Node.js. Give another one as MANDATE_OTHER_NODE.\n')

test.skipIf(other === undefined)(
  'every program costs the same fuel and memory in another version of Node.js',
  async () => {
    // Inside the repository, so that its packages are found.
    const dir = mkdtempSync(join(root, '.cache', 'two-nodes-'))
    try {
      writeFileSync(join(dir, 'entry.ts'), ENTRY)
      const made = await Rolldown.rolldown({ input: join(dir, 'entry.ts'), platform: 'node', logLevel: 'silent' })
      await made.write({ dir: join(dir, 'out'), format: 'esm', entryFileNames: 'entry.mjs' })
      const run = (node: string): string[] =>
        execFileSync(node, [join(dir, 'out', 'entry.mjs')], { encoding: 'utf8', maxBuffer: 1e8 })
          .trim()
          .split('\n')
      const here = run(process.execPath)
      process.stdout.write(`fuel of ${here.length} programs: ${process.version} and ${version(other!)}\n`)
      expect(here.length).toBeGreaterThanOrEqual(300)
      expect(run(other!)).toEqual(here)
    } finally {
      rmSync(dir, { recursive: true })
    }
  },
  60_000,
)
