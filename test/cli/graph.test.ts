import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ROOT, commandLine, environment, mandate, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const FILE = ['--file', 'test/cli/fixtures/graphs/host.ts']
const REFUNDS = 'test/cli/fixtures/graphs/refunds.rag'
const WRONG = 'test/cli/fixtures/graphs/wrong.rag'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** A copy of a file that may be changed. */
function copyOf(file: string, change: (text: string) => string = (text) => text): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-graph-'))
  folders.push(folder)
  const copy = join(folder, 'copy.rag')
  copyFileSync(join(ROOT, file), copy)
  writeFileSync(copy, change(readFileSync(copy, 'utf8')))
  return copy
}

function withStdin(text: string, ...words: string[]): { readonly code: number | null; readonly out: string } {
  const [program, ...args] = commandLine(words)
  const { status, stdout } = spawnSync(program!, args, { cwd: ROOT, env: environment(), input: text, encoding: 'utf8' })
  return { code: status, out: stdout }
}

describe('mandate graph check', () => {
  test('shows every finding with its line, looks names up in the configuration, and fails', async () => {
    const { code, out, notes } = await mandate('graph', 'check', REFUNDS, WRONG, ...FILE)
    expect(code).toBe(1)
    expect(out).toContain(`--> ${WRONG}:3`)
    expect(out).toContain('There is no node `tel`')
    expect(out).toContain('There is no tool "refnud"')
    expect(out).toMatch(/\^\^\^/)
    expect(notes).toContain('2 files, 2 errors')
    expect(await mandate('graph', 'check', REFUNDS, ...FILE)).toMatchObject({ code: 0, out: '' })
  })

  test('gives its findings as JSON, and reads stdin', async () => {
    const json = JSON.parse((await mandate('graph', 'check', WRONG, '--json', ...FILE)).out) as {
      diagnostics: { code: string }[]
    }[]
    expect(json[0]!.diagnostics.map((each) => each.code)).toEqual(['E-rag-unknown-tool', 'E-rag-unknown-node'])
    expect(withStdin('graph x {', 'graph', 'check', '-')).toMatchObject({
      code: 1,
      out: expect.stringContaining('stdin:1'),
    })
    expect(await mandate('graph', 'check', 'none.rag')).toMatchObject({ code: 2 })
  })
})

describe('mandate graph fmt', () => {
  test('writes files in their one layout; with --check it only says which would change', async () => {
    const tidy = copyOf(REFUNDS)
    expect(await mandate('graph', 'fmt', '--check', tidy)).toMatchObject({ code: 0, out: '' })
    const untidy = copyOf(REFUNDS, (text) => text.replace('  start decide', 'start     decide'))
    expect(await mandate('graph', 'fmt', '--check', untidy)).toMatchObject({ code: 1, out: `${untidy}\n` })
    expect(await mandate('graph', 'fmt', untidy)).toMatchObject({ code: 0 })
    expect(readFileSync(untidy, 'utf8')).toBe(readFileSync(tidy, 'utf8'))
    expect(withStdin(readFileSync(untidy, 'utf8'), 'graph', 'fmt', '-').out).toBe(readFileSync(tidy, 'utf8'))
  })

  test('leaves a file with errors as it is', async () => {
    const broken = copyOf(REFUNDS, (text) => text.replace('start decide', 'start {'))
    const before = readFileSync(broken, 'utf8')
    expect(await mandate('graph', 'fmt', broken)).toMatchObject({ code: 1 })
    expect(readFileSync(broken, 'utf8')).toBe(before)
  })
})

test('mandate graph diff says what changed, and with its exit code whether something did', async () => {
  const changed = copyOf(REFUNDS, (text) => text.replace('next tell', 'next END'))
  expect(await mandate('graph', 'diff', REFUNDS, REFUNDS)).toMatchObject({ code: 0, out: '' })
  const { code, out } = await mandate('graph', 'diff', REFUNDS, changed)
  expect(code).toBe(1)
  expect(out).toMatch(/~ .*pay.*next/)
})

test('mandate graph show prints a graph as text, as a diagram and as its blueprint', async () => {
  expect((await mandate('graph', 'show', REFUNDS)).out).toMatch(/^graph refunds \{/)
  expect((await mandate('graph', 'show', REFUNDS, '--mermaid')).out).toContain('-->')
  expect(JSON.parse((await mandate('graph', 'show', REFUNDS, '--json')).out)).toMatchObject({
    blueprint: 1,
    name: 'refunds',
  })
  expect((await mandate('graph', 'show', 'nothing', ...FILE)).notes).toContain('There is no graph "nothing"')
})

test('mandate graph run suspends for a person, and goes on in another process after the answer', async () => {
  const first = await mandate('graph', 'run', REFUNDS, '--input', '{"order":"A-17"}', ...FILE)
  expect(first).toMatchObject({ code: 4 })
  expect(first.notes).toContain('step 1: decide')
  const [, approval] = /mandate answer (\S+) <value>/.exec(first.notes)!
  const [, run] = /mandate resume (\S+)/.exec(first.notes)!
  expect(await mandate('answer', approval!, 'yes')).toMatchObject({ code: 0 })
  const second = await mandate('resume', run!, ...FILE)
  expect(second).toMatchObject({ code: 0 })
  expect(second.out).toContain('The order was paid back.')
  expect((await mandate('replay', run!, ...FILE)).out).toContain('identical')
  expect(await mandate('graph', 'run', REFUNDS, '--input', '{"order":17}', ...FILE)).toMatchObject({ code: 2 })
  expect(await mandate('graph', 'run', WRONG, ...FILE)).toMatchObject({ code: 6 })
})

test('mandate graph review shows what a graph can reach, and registers it once it is approved', async () => {
  const { code, out: id } = await mandate('graph', 'review', 'request', REFUNDS, '--reason', 'faster', ...FILE)
  expect(code).toBe(0)
  const review = id.trim()
  expect((await mandate('inbox')).out).toContain('register_graph')
  expect((await mandate('graph', 'review', 'list', ...FILE)).out).toContain(`${review}  waiting  refunds`)
  const shown = (await mandate('graph', 'review', 'show', review, ...FILE)).out
  expect(shown).toMatch(/sinks +refund/)
  expect(shown).toContain('graph refunds {')
  const approved = await mandate('graph', 'review', 'approve', review, ...FILE)
  const token = approved.out.trim()
  const changed = copyOf(REFUNDS, (text) => text.replace('next tell', 'next END'))
  expect(await mandate('graph', 'review', 'register', changed, token, ...FILE)).toMatchObject({ code: 3 })
  expect(await mandate('graph', 'run', 'refunds', ...FILE)).toMatchObject({ code: 2 })
  expect(await mandate('graph', 'review', 'register', REFUNDS, token, ...FILE)).toMatchObject({ code: 0 })
  expect(await mandate('graph', 'run', 'refunds', '{"order":"A-17"}', ...FILE)).toMatchObject({ code: 4 })
  expect(await mandate('graph', 'review', 'revoke', review, 'mistake', ...FILE)).toMatchObject({ code: 0 })
  expect(await mandate('graph', 'run', 'refunds', ...FILE)).toMatchObject({ code: 2 })
  const third = (await mandate('graph', 'review', 'request', REFUNDS, ...FILE)).out.trim()
  const [, waiting] = new RegExp(`(${third}-ap\\d+)`).exec((await mandate('inbox')).out)!
  expect(await mandate('approve', waiting!)).toMatchObject({ code: 0 })
  expect((await mandate('resume', third, ...FILE)).out).toContain('permit')
  const second = (await mandate('graph', 'review', 'request', REFUNDS, ...FILE)).out.trim()
  expect(await mandate('graph', 'review', 'reject', second, 'No.', ...FILE)).toMatchObject({ code: 0 })
  expect((await mandate('graph', 'review', 'list', '--all', ...FILE)).out).toMatch(
    /rejected[\s\S]*revoked|revoked[\s\S]*rejected/,
  )
})

test('what is no command of graphs is refused with the nearest', async () => {
  expect((await mandate('graph', 'chekc', REFUNDS)).notes).toContain('Did you mean "graph check"?')
  expect((await mandate('graph', 'review', 'aprove')).notes).toContain('graph review approve')
  expect((await mandate('graph')).code).toBe(2)
  expect((await mandate('runs', '--mermaid')).notes).toContain('belongs to: graph')
})
