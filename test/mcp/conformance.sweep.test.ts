import { execFile, spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { rotate } from '../rotation.ts'

const require = createRequire(import.meta.url)
const suite = dirname(require.resolve('@modelcontextprotocol/conformance/package.json'))
const client = fileURLToPath(new URL('./conformance-client.fixture.ts', import.meta.url))

/** The scenarios that a revision requires of clients or of servers, as the suite lists them. */
function required(revision: string, side: 'client' | 'server' = 'client'): readonly string[] {
  const folder = join(suite, 'requirements')
  const file = readdirSync(folder).find((name) => name.includes(revision))!
  const section = new RegExp(`^${side}:\\n((?: .*\\n|\\s*#.*\\n|\\n)*)`, 'm')
  const [, list = ''] = section.exec(readFileSync(join(folder, file), 'utf8')) ?? []
  return [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, scenario]) => scenario!)
}

const scenarios = ['2025-11-25', '2026-07-28'].flatMap((revision) =>
  required(revision).map((scenario) => ({ revision, scenario })),
)

function play(scenario: string, revision: string): Promise<string> {
  const command = `${process.execPath} --conditions=mandate-source ${client}`
  const args = [join(suite, 'dist/index.js'), 'client', '--command', command]
  return new Promise((resolve) => {
    const all = [...args, '--scenario', scenario, '--spec-version', revision]
    execFile(process.execPath, all, { maxBuffer: 10_000_000 }, (_error, out, err) => resolve(out + err))
  })
}

describe('the public conformance suite', () => {
  test('requires what the page says', () => {
    expect(scenarios.filter(({ revision }) => revision === '2025-11-25')).toHaveLength(18)
    expect(scenarios.filter(({ revision }) => revision === '2026-07-28')).toHaveLength(32)
  })

  for (const { revision, scenario } of rotate(scenarios, 'MCP conformance of the client'))
    test(`${revision} ${scenario}`, async () => {
      expect(await play(scenario, revision)).toContain('OVERALL: PASSED')
    })
})

describe('the public conformance suite, against the server', () => {
  let url = ''
  beforeAll(async () => {
    const file = fileURLToPath(new URL('./conformance-server.fixture.ts', import.meta.url))
    const server = spawn(process.execPath, ['--conditions=mandate-source', file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    url = await new Promise((resolve) => server.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())))
    return () => void server.kill('SIGKILL')
  })

  for (const [revision, count] of [
    ['2025-11-25', 30],
    ['2026-07-28', 37],
  ] as const)
    test(`all ${count} scenarios that ${revision} requires of servers pass`, async () => {
      const args = [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision]
      const said = await new Promise<string>((resolve) => {
        execFile(process.execPath, args, { maxBuffer: 50_000_000 }, (_error, out, err) => resolve(out + err))
      })
      const summary = said.slice(said.indexOf('=== SUMMARY ==='))
      const passed = new Set([...summary.matchAll(/^✓ (\S+): [1-9]/gm)].map(([, scenario]) => scenario!))
      const asked = required(revision, 'server')
      expect(asked).toHaveLength(count)
      expect(asked.filter((scenario) => !passed.has(scenario))).toEqual([])
    })
})
