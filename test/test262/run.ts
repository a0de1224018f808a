import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { announceSkip } from '../rotation.ts'
import { explained } from './explained.ts'
import { type Verdict, runTest } from './verdict.ts'
import { folders } from './selection.ts'

/** One line per folder and a list of what failed without an explanation; also the result file. */
interface Tally {
  passed: number
  refused: number
  outside: number
  skipped: number
  explained: number
  failed: string[]
}

async function main(): Promise<void> {
  const [checkout, only] = process.argv.slice(2)
  if (checkout === undefined || !existsSync(join(checkout, 'test/language'))) {
    announceSkip('test262', 'npm run test262 <path of a checkout of tc39/test262>')
    return
  }
  const tallies = new Map<string, Tally>()
  for (const folder of folders) {
    const paths = globSync('**/*.js', { cwd: join(checkout, folder) }).sort()
    const tally: Tally = { passed: 0, refused: 0, outside: 0, skipped: 0, explained: 0, failed: [] }
    for (const path of paths) {
      const name = relative('test', join(folder, path))
      if (path.includes('_FIXTURE') || (only !== undefined && !name.includes(only))) continue
      const verdict = await runTest(readFileSync(join(checkout, folder, path), 'utf8'))
      count(tally, name, verdict)
    }
    tallies.set(folder, tally)
  }
  print(tallies)
  if (only === undefined) writeFileSync(new URL('RESULT.md', import.meta.url), report(tallies))
}

function count(tally: Tally, name: string, verdict: Verdict): void {
  if (verdict.kind !== 'failed') tally[verdict.kind] += 1
  else if (explained(name) !== undefined) tally.explained += 1
  else tally.failed.push(`${name}: ${verdict.reason}`)
}

function total(tallies: ReadonlyMap<string, Tally>): Tally {
  const sum: Tally = { passed: 0, refused: 0, outside: 0, skipped: 0, explained: 0, failed: [] }
  for (const tally of tallies.values()) {
    for (const key of ['passed', 'refused', 'outside', 'skipped', 'explained'] as const) sum[key] += tally[key]
    sum.failed.push(...tally.failed)
  }
  return sum
}

function print(tallies: ReadonlyMap<string, Tally>): void {
  const sum = total(tallies)
  for (const line of sum.failed) console.log(`FAILED ${line}`)
  const { passed, refused, outside, skipped, failed } = sum
  const share = (100 * passed) / (passed + failed.length)
  console.log(`passed ${passed}, failed ${failed.length} (${share.toFixed(2)} % pass), explained ${sum.explained}`)
  console.log(`refused ${refused}, about what is outside of the subset ${outside}, skipped by their flags ${skipped}`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

function report(tallies: ReadonlyMap<string, Tally>): string {
  const { passed, refused, outside, skipped, failed, explained: known } = total(tallies)
  const rows = [...tallies].map(([folder, tally]) => {
    const { passed: ok, refused: no, outside: out, skipped: left, explained: why } = tally
    return `| ${folder} | ${ok} | ${tally.failed.length} | ${why} | ${no} | ${out} | ${left} |`
  })
  const share = ((100 * passed) / (passed + failed.length)).toFixed(2)
  return `# test262

${share} % of the chosen tests that use nothing refused pass: ${passed} of ${passed + failed.length}; ${known} more are explained as outside of it.

- failed: the test ended otherwise than it says; explained: the same, with the reason in \`explained.ts\`;
- refused: the script was refused with a message, at its first line of defence;
- outside: the test is about prototypes, descriptors, \`this\` or other things the subset leaves out;
- skipped: modules, sloppy mode, and features listed in \`selection.ts\`.

| folder | passed | failed | explained | refused | outside | skipped |
|---|---|---|---|---|---|---|
${rows.join('\n')}
| all | ${passed} | ${failed.length} | ${known} | ${refused} | ${outside} | ${skipped} |
`
}

await main()
