import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { rotate } from '../rotation.ts'

const require = createRequire(import.meta.url)
const suite = dirname(require.resolve('@modelcontextprotocol/conformance/package.json'))
const client = fileURLToPath(new URL('./conformance-client.fixture.ts', import.meta.url))

/** The scenarios that a revision requires of clients, as the suite lists them. */
function required(revision: string): readonly string[] {
  const folder = join(suite, 'requirements')
  const file = readdirSync(folder).find((name) => name.includes(revision))!
  const [, list = ''] = /^client:\n((?: .*\n|\s*#.*\n|\n)*)/m.exec(readFileSync(join(folder, file), 'utf8')) ?? []
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
