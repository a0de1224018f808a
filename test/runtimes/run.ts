// `npm run test:runtimes`: the packed package on every platform that docs/platforms.md names. Runtimes are installed by name, once.
// With names as arguments only those: npm run test:runtimes -- bun deno next:webpack tests22:core. What cannot be installed is skipped, and fails with MANDATE_RUNTIMES=all.
import { makeProject } from './project.ts'
import { STEPS } from './table.ts'
import { addPrograms } from './steps.ts'

const asked = process.argv.slice(2)
/** A platform, or one of its steps: `tests22`, `tests22:core`. */
const isNamed = (name: string, { platform, what }: (typeof STEPS)[number]): boolean =>
  name === platform || name === `${platform}:${what}`
const unknown = asked.find((name) => !STEPS.some((step) => isNamed(name, step)))
if (unknown !== undefined) {
  const known = [...new Set(STEPS.map(({ platform }) => platform))].join(', ')
  console.error(`There is no platform "${unknown}". There are: ${known}.`)
  process.exit(2)
}
const steps = STEPS.filter((step) => asked.length === 0 || asked.some((name) => isNamed(name, step)))
const project = await makeProject({ dts: steps.some(({ needsTypes }) => needsTypes === true) })
let failed = 0
try {
  addPrograms(project)
  for (const { platform, what, check } of steps) {
    const start = performance.now()
    const result = await check(project)
    const took = `${((performance.now() - start) / 1_000).toFixed(1)} s`
    const said =
      'failure' in result ? 'FAILED' : 'skipped' in result ? `SKIPPED (${result.skipped})` : `ok: ${result.note ?? ''}`
    console.log(`${platform.padEnd(12)} ${what.padEnd(28)} ${said} (${took})`)
    if ('failure' in result) console.log(result.failure)
    if ('failure' in result || ('skipped' in result && process.env['MANDATE_RUNTIMES'] === 'all')) failed += 1
  }
} finally {
  project.remove()
}
if (failed > 0) console.log(`${failed} of ${steps.length} steps failed`)
process.exitCode = failed > 0 ? 1 : 0
