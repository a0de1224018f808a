import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REFUND = 'test/cli/fixtures/refund-agent.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mandate-cli-'))
  writeFileSync(join(dir, 'refunds'), '')
})
afterEach(() => rmSync(dir, { recursive: true }))

interface Said {
  readonly code: number | null
  readonly out: string
  readonly notes: string
}

function mandate(...words: string[]): Said {
  const args = ['--conditions=mandate-source', 'src/cli/main.ts', ...words, '--dir', join(dir, 'store')]
  const env = { ...process.env, REFUNDS: join(dir, 'refunds'), NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
  return { code: status, out: stdout, notes: stderr }
}

function refunds(): string {
  return readFileSync(join(dir, 'refunds'), 'utf8')
}

describe('the mandate command', () => {
  it('suspends a run that needs an approval, and after it continues exactly that call, once, in other processes', () => {
    const suspended = mandate('run', REFUND, 'Refund order A-17.')
    expect(suspended.code).toBe(4)
    const approval = /mandate approve (\S+)/.exec(suspended.notes)![1]!
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    expect(refunds()).toBe('')
    expect(mandate('approve', approval).code).toBe(0)
    expect(mandate('approve', approval)).toMatchObject({ code: 0 })
    const resumed = mandate('resume', run)
    expect(resumed).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    expect(mandate('resume', run)).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    expect(mandate('replay', run).out).toMatch(/^identical: 3 effects/)
    expect(mandate('verify', run).out).toMatch(/^ok: \d+ entries/)
    expect(mandate('approve', approval)).toMatchObject({ code: 3 })
  })

  it('never executes a call that was rejected', () => {
    const suspended = mandate('run', REFUND, 'Refund order A-17.')
    const approval = /mandate approve (\S+)/.exec(suspended.notes)![1]!
    expect(mandate('reject', approval, 'too expensive').code).toBe(0)
    expect(mandate('resume', /mandate resume (\S+)/.exec(suspended.notes)![1]!).code).toBe(0)
    expect(refunds()).toBe('')
  })

  it('says with its exit code how a run ended', () => {
    expect(mandate('run', 'test/cli/fixtures/looping-agent.ts', 'Look.')).toMatchObject({ code: 5 })
  })

  it('prints data as JSON on stdout and everything else on stderr', () => {
    const { out, notes } = mandate('run', REFUND, 'Refund order A-17.', '--json')
    expect(JSON.parse(out)).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
    expect(notes).toContain('refund')
    const runs = JSON.parse(mandate('runs', '--json').out) as unknown[]
    expect(runs).toMatchObject([{ name: 'support', state: 'suspended' }])
  })

  it.each([
    [['bogus'], 2, 'not a command'],
    [['run'], 2, 'which file'],
    [['run', 'no-such-file.ts'], 6, 'There is no file'],
    [['run', 'package.json'], 6, 'cannot be loaded'],
    [['run', 'src/cli/exit-codes.ts'], 6, 'no default export'],
    [['verify', 'nope'], 2, 'no run "nope"'],
    [['resume', 'nope'], 2, 'no run "nope"'],
    [['approve', 'nope'], 2, 'no approval'],
    [['runs', '--wrong'], 2, '--wrong'],
  ])('refuses `mandate %s` with a message that tells the fix', (words, code, message) => {
    const said = mandate(...words)
    expect(said.notes).toContain(message)
    expect(said).toMatchObject({ code, out: '' })
  })

  it('tells its commands', () => {
    expect(mandate('--help')).toMatchObject({ code: 0 })
    expect(mandate('--help').out).toContain('mandate resume <run>')
  })
})
