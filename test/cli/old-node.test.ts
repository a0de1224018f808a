import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMAND, ROOT } from './mandate.fixture.ts'

const [program, ...command] = COMMAND
const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }

/** The command, started by a Node that says it is of this version. */
function helpOn(version: string): { status: number | null; stdout: string; stderr: string } {
  const versions = `{ value: { ...process.versions, node: '${version}' } }`
  const preload = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`
  return spawnSync(program!, ['--import', preload, ...command, 'help'], { encoding: 'utf8' })
}

test.each(['18.20.8', '20.20.2', '22.17.1', '23.11.1'])(
  'Node %s is told what to install, without a stack',
  (version) => {
    const { status, stdout, stderr } = helpOn(version)
    expect([status, stdout]).toEqual([6, ''])
    expect(stderr).toBe(
      `error[CONFIG_INVALID] Mandate does not run on Node ${version}. Install Node 22.18 or later (not 23), for example from https://nodejs.org\n`,
    )
  },
)

test.each(['22.18.0', '24.0.0', '26.1.0'])('Node %s is taken', (version) => {
  expect(helpOn(version)).toMatchObject({ status: 0, stderr: '' })
})

test('the versions that are taken are those of package.json', () => {
  expect(engines.node).toBe('>=22.18 <23 || >=24')
})

// Its imports are linked before its first line runs, and an older Node does not have all that they name.
test('the file that says so imports nothing before, as a source and as built', () => {
  for (const file of [join(ROOT, 'src/cli/main.ts'), command.at(-1)!])
    expect(readFileSync(file, 'utf8')).not.toMatch(/^\s*(?:import\b(?!\()|export\b[^\n]*\bfrom\b)/mu)
})
