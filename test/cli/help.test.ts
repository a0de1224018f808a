import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMANDS, optionsOf } from '../../src/cli/help/commands.ts'
import { findProgram } from '../requirements.ts'
import {
  COMMAND,
  REFUND,
  ROOT,
  environment,
  makeStore,
  mandate,
  mandateProcess,
  store,
  useOwnFolder,
} from './mandate.fixture.ts'

useOwnFolder()

it('shows the help of one command in three ways', async () => {
  const { out } = await mandate('help', 'fork')
  expect(out).toContain('Usage: mandate fork <run>')
  expect(out).toContain('--at <seq>')
  expect(await mandate('fork', '--help')).toMatchObject({ code: 0, out })
  expect(await mandate('fork', 'a', '-h')).toMatchObject({ code: 0, out })
})

it('lists the commands where none is given, as a usage error', async () => {
  const { out } = await mandate('help')
  expect(await mandate('--help')).toMatchObject({ code: 0, out })
  expect(await mandate()).toMatchObject({ code: 2, out })
})

it('names the command that was meant', async () => {
  expect(await mandate('forck', 'a')).toMatchObject({ code: 2, notes: /Did you mean "fork"\?/ })
  expect(await mandate('help', 'forck')).toMatchObject({ code: 2, notes: /Did you mean "fork"\?/ })
})

it('tells an error with its code and where to read on; with --json as data as well', async () => {
  await makeStore()
  const said = await mandate('show', 'nothing')
  expect(said.notes).toMatch(
    /^error\[NOT_FOUND\] There is no run "nothing" in [^]*docs: docs\/errors\.md \(not-found\)\n {8}https:.*errors\.md#not-found$/m,
  )
  expect(said.out).toBe('')
  expect((await mandate('fork', '--limit', '1')).notes).toContain('help: mandate help fork')
  const { out, code } = await mandate('show', 'nothing', '--json')
  expect(code).toBe(2)
  expect(JSON.parse(out)).toEqual({
    error: {
      code: 'NOT_FOUND',
      message: expect.stringContaining('no run'),
      docs: expect.stringMatching(/#not-found$/),
    },
  })
})

it('gives the help, the version, a new key and answers as one JSON value each with --json', async () => {
  const json = async (...words: string[]): Promise<unknown> => JSON.parse((await mandate(...words, '--json')).out)
  expect(await json('--version')).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) })
  expect(await json('help')).toMatchObject({ commands: { length: COMMANDS.size } })
  const help = {
    name: 'completion',
    usage: 'mandate completion <bash|zsh|fish>',
    examples: [{}, { words: /^mandate/ }],
  }
  expect(await json('help', 'completion')).toMatchObject(help)
  expect(await json('completion', '--help')).toMatchObject(help)
  expect(await json('key', 'first')).toEqual({ id: 'first', key: expect.any(String) })
  const { notes } = await mandate('run', REFUND, 'Refund order A-17.')
  const approval = /mandate approve (\S+)/.exec(notes)![1]!
  expect(await json('approve', approval)).toEqual([{ id: approval, status: 'recorded' }])
  expect(await mandate('export', approval.split('-ap')[0]!, '--json')).toMatchObject({ code: 2, notes: /--jsonl/ })
  const exported = join(store(), '..', 'run.jsonl')
  writeFileSync(exported, (await mandate('export', approval.split('-ap')[0]!)).out)
  expect(await json('import', exported)).toMatchObject({ entries: 0 })
  expect(await json('import', exported, '--dir', join(store(), '..', 'other'))).toMatchObject({ entries: 5 })
})

it('refuses words that a command would ignore', async () => {
  const said = [await mandate('help', 'run', 'x')]
  for (const words of [
    ['runs', 'x'],
    ['show', 'a', 'x'],
    ['serve', 'a.ts', 'x'],
    ['chat', 'a.ts', 'x'],
  ])
    said.push(await mandate(...words))
  for (const one of said) expect(one).toMatchObject({ code: 2, out: '', notes: /"x" is one word too many/ })
  expect(await mandate('chat', '--pack', 'filesystem', 'x')).toMatchObject({ code: 2, notes: /With --pack/ })
  expect(await mandate('verify', '--all', 'x')).toMatchObject({ code: 2, notes: /--all is every run/ })
  expect(await mandate('studio', '--demo', 'x.ts')).toMatchObject({ code: 2, notes: /--demo has agents of its own/ })
})

it('names what is missing and where to look as it is typed', async () => {
  await makeStore()
  const notes = async (...words: string[]): Promise<string> => (await mandate(...words)).notes
  expect(await notes('run', '--pack', 'filesystem')).toContain('<prompt> is missing')
  expect(await notes('runs', '--limit', '-1')).toMatch(/^error\[INPUT_INVALID\] --limit needs a value\..*--limit=-x$/m)
  expect(await notes('runs', '--limit')).toContain('--limit needs a value')
  expect(await notes('eval', 'show', 'x')).toMatch(/no report of an eval "x".*mandate eval list/)
  expect(await notes('schedule', 'remove', 'x', '--file', REFUND)).toContain('mandate schedule list')
  expect(await notes('schedule', 'put', 'n', 'support', 'Go.', '--file', REFUND)).toContain(
    '--cron "0 9 * * 1-5" or --every',
  )
  expect(await notes('revoke', 'x')).toContain('mandate approvals --all')
  expect(await notes('rekey')).toContain('MANDATE_KEYS or MANDATE_KEY_FILE')
  expect((await mandate('help', 'completion')).out).toContain('mandate completion fish >')
})

it('says less with --quiet and more with --verbose', async () => {
  const quiet = await mandate('run', REFUND, 'Refund order A-17.', '--quiet')
  expect(quiet).toMatchObject({ code: 4, notes: '' })
  const verbose = await mandate('run', REFUND, 'Refund order A-17.', '--verbose')
  expect(verbose.notes).toContain('turn 1')
  const approval = /mandate approve (\S+)/.exec(verbose.notes)![1]!
  await mandate('approve', approval)
  const { notes } = await mandate('resume', /mandate resume (\S+)/.exec(verbose.notes)![1]!, '--verbose')
  expect(notes).toMatch(/✓ refund/)
  expect(notes).toMatch(/allow by/)
  expect((await mandate('show', 'nothing', '--quiet')).notes).toContain('error[NOT_FOUND]')
  expect((await mandate('show', 'nothing', '--verbose')).notes).toMatch(/at .*\.[jt]s:\d+/)
})

it('takes colours as --color says', async () => {
  const red = '\u001B[31m'
  expect((await mandate('show', 'nothing', '--color', 'always')).notes).toContain(red)
  expect((await mandate('show', 'nothing', '--color=never')).notes).not.toContain('\u001B')
  expect(await mandate('runs', '--color', 'pink')).toMatchObject({ code: 2, notes: /auto, always, never/ })
})

it('describes every command and option in docs/cli.md', () => {
  const page = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')
  const missing = [...COMMANDS.keys()].filter((name) => !new RegExp(`\`${name}[ \`]`).test(page))
  const options = new Set([...COMMANDS.keys()].flatMap((name) => optionsOf(name)))
  expect([...missing, ...[...options].filter((name) => !page.includes(`--${name}`))]).toEqual([])
})

const bash = findProgram({ program: 'bash', aptPackage: 'bash', neededFor: 'the completion of commands in bash' })

it.skipIf(bash === undefined)('completes commands, options and the ids of the store in bash', async () => {
  const run = /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-17.')).notes)![1]!
  const bin = mkdtempSync(join(tmpdir(), 'mandate-bin-'))
  try {
    writeFileSync(join(bin, 'mandate'), `#!/bin/sh\nexec ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
      mode: 0o755,
    })
    const complete = (...words: string[]): string[] => {
      const typed = words.map((word) => `'${word}'`).join(' ')
      const script = `source <(mandate completion bash); COMP_WORDS=(mandate ${typed}); COMP_CWORD=${words.length}; _mandate; printf '%s\\n' "\${COMPREPLY[@]}"`
      const env = { ...environment(), PATH: `${bin}:${process.env['PATH']}`, MANDATE_DIR: store() }
      return spawnSync(bash!, ['--norc', '-c', script], { cwd: ROOT, env, encoding: 'utf8' }).stdout.trim().split('\n')
    }
    expect(complete('resu')).toEqual(['resume'])
    expect(complete('resume', '')).toEqual([run])
    expect(complete('approve', `${run}-`)).toEqual([`${run}-ap4`])
    expect(complete('fork', run, '--in')).toEqual(['--input'])
  } finally {
    rmSync(bin, { recursive: true })
  }
})

it('prints a script for each shell, and completes without a store', () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(mandateProcess('completion', shell).out).toContain('completion words')
  expect(mandateProcess('completion', 'tcsh')).toMatchObject({ code: 2, notes: /Use: mandate completion bash/ })
  expect(mandateProcess('completion', 'words', '--', 'resume', '')).toMatchObject({ code: 0, out: '' })
})
