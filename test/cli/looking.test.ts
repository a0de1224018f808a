import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { mandate, mandateProcess, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const AGENT = 'test/cli/fixtures/ending-agent.ts'

it('a list that is cut says so on stderr and how to see more, and --limit is taken', async () => {
  for (let count = 0; count < 2; count++) await mandate('run', AGENT, 'Go.')
  const cut = await mandate('runs', '--limit', '1', '--json')
  expect(JSON.parse(cut.out)).toHaveLength(1)
  expect(cut).toMatchObject({ code: 0, notes: expect.stringContaining('--limit 10') as string })
  const whole = await mandate('runs', '--limit', '2', '--jsonl')
  expect(
    whole.out
      .trim()
      .split('\n')
      .map((line) => typeof JSON.parse(line)),
  ).toEqual(['object', 'object'])
  expect(whole.notes).toBe('')
  expect(await mandate('runs', '--limit', '0')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--limit') as string,
  })
}, 60_000)

it('the entries of a run are one JSON value with --json, and one a line with --jsonl', async () => {
  await mandate('run', AGENT, 'Go.')
  const [{ run }] = JSON.parse((await mandate('runs', '--json')).out) as [{ run: string }]
  const entries = JSON.parse((await mandate('logs', run, '--json')).out) as { seq: number }[]
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  const lines = (await mandate('logs', run, '--jsonl')).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(entries)
  expect(await mandate('logs', run, '-f', '--json')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--jsonl') as string,
  })
}, 60_000)

it('commands that look make no store in a folder that has none, and say that there is nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-empty-'))
  const own = process.cwd()
  const { MANDATE_DIR: dir } = process.env
  delete process.env['MANDATE_DIR']
  const written: string[] = []
  const writes = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  )
  try {
    process.chdir(folder)
    /** The words, and the exit code. */
    const steps: readonly (readonly [string, number])[] = [
      ...['runs', 'inbox', 'approvals', 'metrics', 'audit', 'workers', 'doctor', 'eval list', 'graph review list'].map(
        (words) => [words, 0] as const,
      ),
      ...['show nope', 'logs nope', 'export nope', 'verify nope', 'replay nope', 'resume nope', 'eval show nope'].map(
        (words) => [words, 2] as const,
      ),
      ['import', 2],
      ['show', 2],
      ['rekey', 2],
    ]
    const codes: (readonly [string, number])[] = []
    const silent: string[] = []
    for (const [words] of steps) {
      written.length = 0
      codes.push([words, await runCommandLine(words.split(' '))])
      if (written.join('').trim() === '') silent.push(words)
    }
    expect(codes).toEqual(steps)
    expect(silent).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  } finally {
    process.chdir(own)
    for (const spy of writes) spy.mockRestore()
    if (dir !== undefined) process.env['MANDATE_DIR'] = dir
    rmSync(folder, { recursive: true })
  }
})

it('names what mends it: a project of CommonJS, an approval that is not there, a price without its provider', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-commonjs-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
    writeFileSync(join(folder, 'agent.ts'), "import { scripted } from 'mandate/model'\nexport default { id: 'a' }\n")
    expect(mandateProcess('run', join(folder, 'agent.ts'), 'Hi.')).toMatchObject({
      code: 6,
      notes: expect.stringContaining('npm pkg set type=module') as string,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
  await mandate('run', AGENT, 'Go.')
  expect(await mandate('approve', 'typo')).toMatchObject({ code: 2, notes: /`mandate inbox`/ })
  expect(await mandate('prices', 'show', 'gpt-5')).toMatchObject({ code: 5, notes: /Did you mean openai\/gpt-5\?/ })
})
