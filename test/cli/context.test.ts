import { copyFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { mandate, mandatePiped, store, useOwnFolder } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'

useOwnFolder()

const AGENT = 'test/cli/fixtures/log-agent.ts'
const LINES = Array.from({ length: 30_000 }, (_, line) => `${line} ${line % 3 === 0 ? 'ERROR' : 'ok'} NEEDLE`)
const HEAD = "'0 ERR'\n"

function file(name: string): string {
  return join(dirname(store()), name)
}

/** Cells from a pipe, in a session of the store. */
function cells(input: string, ...words: string[]): Promise<Said> {
  return mandatePiped(input, 'repl', ...words, '--file', 'test/cli/fixtures/repl-host.ts')
}

/** The id of the only run in the store that no other run has started. */
async function runId(): Promise<string> {
  const { out } = await mandate('runs', '--json')
  return /"(run_[^".]+)"/.exec(out)![1]!
}

beforeEach(() => writeFileSync(file('server.log'), LINES.join('\n')))

describe('mandate repl --context', () => {
  it('lets cells read a file in parts, and keeps none of it in the journal but what they read', async () => {
    const { code, out, notes } = await cells(
      'await context.count(/ERROR/)\n[context.length, context.lineCount]\n:context\n',
      's',
      '--context',
      file('server.log'),
    )
    expect({ code, out }).toEqual({ code: 0, out: `10000\n[ ${LINES.join('\n').length}, 30000 ]\n` })
    expect(notes).toMatch(/context \S+server\.log: \d+ characters in 30000 lines, read in parts/)
    const { out: told } = await cells('await context.count(/ok/)\n', 's', '--json')
    const { out: journal } = await mandate('export', (JSON.parse(told) as { run: string }).run)
    expect(journal).toContain('context.count')
    expect(journal).not.toContain('NEEDLE')
  })

  it('reads records of JSON', async () => {
    writeFileSync(file('rows.json'), '[{"n":1},{"n":2}]')
    expect((await cells('await context.records(1, 2)\n', 's', '--context', file('rows.json'))).out).toBe(
      '[ { n: 2 } ]\n',
    )
  })

  it('survives an undo, a fork, another model and another process, without a new --context', async () => {
    const first = await cells(
      'let n = 1\n:undo\nawait context.head(5)\n:undo\n:fork two\nawait context.head(5)\n',
      's',
      '--context',
      file('server.log'),
    )
    expect(first.out).toBe(HEAD + HEAD)
    for (const session of ['s', 'two']) expect((await cells('await context.head(5)\n', session)).out).toBe(HEAD)
    const empty = await cells(':fork five\nawait context.head(5)\n', 'four', '--context', file('server.log'))
    expect(empty.out).toBe(HEAD)
  })

  it('is replaced by :context, and tells what to do where the file was moved or is another one', async () => {
    writeFileSync(file('other.txt'), 'other')
    await cells('1\n', 's', '--context', file('server.log'))
    const refused = await cells('1\n', 's', '--context', file('other.txt'))
    expect(refused.notes).toMatch(/RUN_STATE[^]*has another context[^]*then :context \S+other\.txt replaces it/)
    renameSync(file('server.log'), file('moved.log'))
    const moved = await cells(`:context ${file('moved.log')}\nawait context.head(5)\n`, 's')
    expect(moved.notes).toContain('Restore the file, or set another one with :context <file>')
    expect(moved.out).toBe(HEAD)
    const other = await cells(`:context ${file('other.txt')}\nawait context.head(5)\n`, 's')
    expect(other.out).toBe("'other'\n")
    expect((await cells('await context.head(5)\n', 's')).out).toBe("'other'\n")
  })

  it.each(['.env', 'server.pem', 'harmless.txt'])('keeps %s closed, also behind a link', async (name) => {
    writeFileSync(file('.env'), 'KEY=1')
    if (name === 'harmless.txt') symlinkSync(file('.env'), file(name))
    else copyFileSync(file('server.log'), file(name))
    const { code, out, notes } = await cells('context.length\n', 's', '--context', file(name))
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).toContain('is closed to cells')
    expect((await cells(`:context ${file(name)}\n1\n`, 's')).notes).toContain('is closed to cells')
  })

  it('refuses a file that does not exist, and binary data', async () => {
    expect((await cells('1\n', 's', '--context', file('none'))).notes).toContain('There is no such file')
    writeFileSync(file('data.bin'), '\0\u0001')
    expect((await cells('1\n', 's', '--context', file('data.bin'))).notes).toContain('is not text')
  })
})

describe('mandate run --context', () => {
  it('gives an agent in code mode a file that is not in its prompt', async () => {
    const { code, out } = await mandate('run', AGENT, 'How many?', '--context', file('server.log'))
    expect(code).toBe(0)
    expect(out).toMatch(/^10000 errors in \S*server\.log\n$/)
  })

  it('takes the same content again for a fork, and no other', async () => {
    await mandate('run', AGENT, 'How many?', '--context', file('server.log'))
    const run = await runId()
    const fork = ['fork', run, '--at', '1']
    expect((await mandate(...fork)).notes).toContain('add --context <file>')
    expect((await mandate(...fork, '--context', file('server.log'))).out).toContain('10000 errors')
    writeFileSync(file('server.log'), 'other')
    expect((await mandate(...fork, '--context', file('server.log'))).notes).toContain('does not have the content')
    expect((await mandate('replay', run)).out).toContain('identical')
  })

  it('takes the content again in the process that resumes the run', async () => {
    const given = ['--context', file('server.log')]
    const { notes } = await mandate('run', 'test/cli/fixtures/log-agent-asking.ts', 'Go.', ...given)
    const [, approval] = /mandate approve (\S+)/.exec(notes)!
    await mandate('approve', approval!)
    const run = await runId()
    expect((await mandate('resume', run, ...given)).out).toBe('0 ERR\n')
  })

  it('refuses agents that cannot read it, programs, workers and closed files', async () => {
    const given = ['--context', file('server.log')]
    expect((await mandate('run', 'test/cli/fixtures/repl-agent.ts', 'x', ...given)).notes).toContain('not in code mode')
    writeFileSync(file('program.js'), 'return 1')
    expect((await mandate('run', file('program.js'), ...given)).notes).toContain('belongs to agents in code mode')
    expect((await mandate('run', AGENT, 'x', '--detach', ...given)).notes).toContain('Leave out --context or --detach')
    writeFileSync(file('.env'), 'KEY=1')
    expect((await mandate('run', AGENT, 'x', '--context', file('.env'))).notes).toContain('is closed to cells')
  })
})
