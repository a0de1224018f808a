import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listTemplates } from '../../src/cli/templates.ts'
import { installTarballs } from './tarballs.ts'

let installed: ReturnType<typeof installTarballs>
beforeAll(() => void (installed = installTarballs()), 300_000)
afterAll(() => installed?.remove())

/** Requests that leave the machine end at a closed port. */
const { MANDATE_MODEL: _model, NODE_OPTIONS: _options, ...inherited } = process.env
const env = {
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !/_API_KEY$|^VITEST|^MANDATE_/.test(name))),
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost,::1',
  NODE_ENV: '',
}

interface Said {
  readonly status: number | null
  readonly said: string
}

function run(folder: string, file: string, ...args: string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

const bin = (path: string): string => join(installed.folder, 'node_modules', path)

describe.each(listTemplates().map(({ name }) => name))('the template %s, from the tarballs', (name) => {
  const folder = (): string => join(installed.folder, `my-${name}`)

  test('is made by create-mandate', () => {
    const { status, said } = run(
      installed.folder,
      bin('create-mandate/create-mandate.js'),
      `my-${name}`,
      '--template',
      name,
    )
    expect([status, said]).toEqual([0, expect.stringContaining('npm start')])
  })

  test('passes its tests, its types and its lint', () => {
    expect(run(folder(), '--test')).toMatchObject({ status: 0, said: /fail 0/ })
    expect(run(folder(), bin('typescript/bin/tsc'))).toEqual({ status: 0, said: '' })
    expect(run(folder(), bin('oxlint/bin/oxlint'))).toMatchObject({ status: 0, said: /0 warnings and 0 errors/ })
  })

  test('runs offline', () => {
    const { scripts } = JSON.parse(readFileSync(join(folder(), 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    // What the start script says, word by word; the page of `chat` and the server of `mcp` do not end, and their tests start them.
    const [program, ...words] = [
      ...(name === 'mcp' ? scripts['try']! : scripts['start']!).matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g),
    ].map(([word, quoted]) => quoted?.replaceAll('\\"', '"') ?? word)
    if (name === 'chat') return
    const { status, said } =
      program === 'mandate'
        ? run(folder(), bin('mandate/dist/cli/main.js'), ...words)
        : run(folder(), ...(words as [string]))
    expect(said).toMatch(
      { agent: /mandate approve/, graph: /Publish this\?/, mcp: /deleted n2/, analyst: /north sells most: 360/ }[name]!,
    )
    expect(status).toBe(name === 'agent' || name === 'graph' ? 4 : 0)
  })

  test('takes a real model by one variable: without its package or key it says what is missing', () => {
    if (name === 'chat' || name === 'mcp') return
    const main = bin('mandate/dist/cli/main.js')
    const words =
      name === 'graph'
        ? ['graph', 'run', 'flow.rag', '--input', '{"topic":"tea"}']
        : ['run', name === 'agent' ? 'support' : name, 'Hello.']
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words, '--no-input'], {
      cwd: folder(),
      env: { ...env, MANDATE_MODEL: 'openai/gpt-5-mini' },
      encoding: 'utf8',
    })
    expect(`${stdout}${stderr}`).toContain('OPENAI_API_KEY')
    expect(status).not.toBe(0)
  })
})
