import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  REFUND,
  ROOT,
  SLOW,
  commandLine,
  environment,
  mandate,
  mandateIn,
  refunds,
  store,
  useOwnFolder,
} from './mandate.fixture.ts'

useOwnFolder()

const ENDING = 'test/cli/fixtures/ending-agent.ts'
const CLIENT_TOOLS = 'test/cli/fixtures/client-tool-agent.ts'

describe('the mandate command', () => {
  it('suspends a run that needs an approval, and after it continues exactly that call, once, in other processes', () => {
    const suspended = mandate('run', REFUND, 'Refund order A-17.')
    expect(suspended.code).toBe(4)
    const approval = /mandate approve (\S+)/.exec(suspended.notes)![1]!
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    expect(refunds()).toBe('')
    expect(mandate('approve', approval).code).toBe(0)
    // The same once more is no second answer; another one is.
    expect(mandate('approve', approval)).toMatchObject({ code: 0, notes: expect.stringContaining('already answered') })
    expect(mandate('deny', approval)).toMatchObject({ code: 3, notes: expect.stringContaining('already answered') })
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
    expect(mandate('deny', approval, 'too expensive').code).toBe(0)
    expect(mandate('resume', /mandate resume (\S+)/.exec(suspended.notes)![1]!).code).toBe(0)
    expect(refunds()).toBe('')
  })

  it('says with its exit code how a run ended', () => {
    expect(mandate('run', 'test/cli/fixtures/looping-agent.ts', 'Look.')).toMatchObject({ code: 5 })
    expect(mandateIn({ ENDING: 'failed' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 1 })
    expect(mandateIn({ ENDING: 'missing' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 1 })
    expect(mandateIn({ ENDING: 'blocked' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 3 })
    expect(mandateIn({ ENDING: 'often' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 5 })
    expect(mandateIn({ ENDING: 'killed' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 3 })
    const { notes, code } = mandateIn({ ENDING: 'here' }, 'run', ENDING, 'Go.')
    expect(code).toBe(0)
    const run = /run (run_\S+)/.exec(notes)![1]!
    expect(mandateIn({ ENDING: 'here' }, 'replay', run)).toMatchObject({ code: 0 })
    expect(mandateIn({ ENDING: 'there' }, 'replay', run)).toMatchObject({
      code: 7,
      out: expect.stringMatching(/recorded:.*here[^]*replayed:.*there/),
    })
  })

  it('runs an agent that a file exports as an object, in the host of the command', () => {
    const opened = 'test/cli/fixtures/opened-agent.ts'
    const { out, notes, code } = mandate('run', opened, 'Go.')
    expect({ out, code }).toEqual({ out: 'Hello.\n', code: 0 })
    const run = /run (run_\S+)/.exec(notes)![1]!
    expect(mandate('runs').out).toContain(run)
    expect(mandate('replay', run)).toMatchObject({ code: 0, out: expect.stringContaining('identical') })
    // The mandate of its own host holds.
    expect(mandateIn({ OPENED: 'with no model calls' }, 'run', opened, 'Go.')).toMatchObject({ code: 5, out: '' })
    expect(mandateIn({ OPENED: 'with a journal' }, 'run', opened, 'Go.')).toMatchObject({
      code: 6,
      notes: expect.stringMatching(/`journal`, which the command brings itself.*Leave it out/),
    })
    expect(mandateIn({ OPENED: 'in a service' }, 'run', opened, 'Go.')).toMatchObject({
      code: 6,
      notes: expect.stringContaining('export default { id, model, tools }'),
    })
  })

  it('says which version it is', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(mandate('--version')).toMatchObject({ code: 0, out: `${version}\n` })
  })

  it('puts a run away when nobody reads its output any more', () => {
    const [program, ...args] = commandLine(['run', SLOW, 'Wait.', '--jsonl'])
    const line = [program!, ...args].map((word) => `'${word}'`).join(' ')
    const { stderr } = spawnSync('sh', ['-c', `${line} | head -n 1`], {
      cwd: ROOT,
      env: environment(),
      encoding: 'utf8',
    })
    expect(stderr).not.toContain('EPIPE')
    const run = /mandate resume (\S+)/.exec(stderr)![1]!
    expect(mandate('show', run).out).toContain('suspended (interrupt)')
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
    [['run'], 2, 'mandate run <file|agent>'],
    [['run', 'no-such-file.ts'], 6, 'There is no file'],
    [['run', 'package.json'], 6, 'cannot be loaded'],
    [['run', 'src/cli/exit-codes.ts'], 6, 'no default export'],
    [['verify', 'nope'], 2, 'no run "nope"'],
    [['resume', 'nope'], 2, 'no run "nope"'],
    [['approve', 'nope'], 2, 'no approval'],
    [['runs', '--wrong'], 2, '--wrong'],
    [['run', 'test/cli/fixtures/program.js', '{bad'], 2, 'not valid JSON'],
    [['run', 'test/cli/fixtures/program.js', '--fuel', 'much'], 2, '--fuel is a number'],
    [['approve', 'nope', '--edit', '{bad'], 2, '--edit is not valid JSON'],
  ])('refuses `mandate %s` with a message that tells the fix', (words, code, message) => {
    const said = mandate(...words)
    expect(said.notes).toContain(message)
    expect(said).toMatchObject({ code, out: '' })
  })

  it('tells its commands', () => {
    expect(mandate('--help')).toMatchObject({ code: 0 })
    expect(mandate('--help').out).toContain('mandate resume <run>')
  })

  it('shows a run, its entries and what waits for a human', () => {
    const run = suspendedRun()
    expect(mandate('show', run).out).toMatch(/suspended \(approval\)[^]*effect-start[^]*approval-request/)
    expect(
      mandate('logs', run, '--jsonl')
        .out.trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toContain('run-suspend')
    expect(mandate('inbox').out).toContain(`${run}-ap`)
    expect(JSON.parse(mandate('inbox', '--json').out)).toMatchObject([
      { run, name: 'refund', input: { order: 'A-17' }, risk: 'destructive' },
    ])
  })

  it('moves a run to another store, byte for byte, and refuses one that was tampered with', () => {
    const run = suspendedRun()
    const exported = mandate('export', run).out
    const file = join(store(), '..', 'run.jsonl')
    writeFileSync(file, exported)
    expect(mandate('import', file).notes).toContain('was here already')
    expect(mandate('import', file, '--dir', join(store(), '..', 'other'))).toMatchObject({ code: 0 })
    expect(mandate('export', run, '--dir', join(store(), '..', 'other')).out).toBe(exported)
    writeFileSync(file, exported.replace('A-17', 'A-18'))
    expect(mandate('import', file, '--dir', join(store(), '..', 'third'))).toMatchObject({
      code: 6,
      notes: expect.stringContaining('is damaged at entry'),
    })
  })

  it('cancels a run that waits, and never runs its call', () => {
    const run = suspendedRun()
    expect(mandate('cancel', run, 'no longer needed')).toMatchObject({ code: 0, out: `${run} cancelled\n` })
    expect(mandate('resume', run)).toMatchObject({ code: 1 })
    expect(refunds()).toBe('')
  })

  it('forks a run with another outcome of one effect', () => {
    const run = suspendedRun()
    mandate('approve', `${run}-ap4`)
    mandate('resume', run)
    const forked = mandate('fork', run, '--key', 'turn:1/tool:1', '--value', '"not refunded"')
    expect(forked).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    expect(JSON.parse(mandate('runs', '--json').out)).toHaveLength(2)
  })

  it('forks a run with another prompt, and refuses what is none', () => {
    const run = suspendedRun()
    const forked = mandate('fork', run, '--input', '"Refund order A-18."', '--json')
    expect(forked).toMatchObject({ code: 4, notes: expect.stringContaining('forked') })
    const id = / as (\S+)/u.exec(forked.notes)![1]!
    expect(mandate('show', id, '--json').out).toContain('Refund order A-18.')
    expect(mandate('fork', run, '--input', '7').notes).toContain('is a prompt')
  })

  it('continues a run that a limit ended with another budget', () => {
    const run = suspendedRun('--budget', 'modelCalls=1')
    mandate('approve', `${run}-ap4`)
    expect(mandate('resume', run, '--budget', 'modelCals=2').notes).toContain('Did you mean `modelCalls`?')
    expect(mandate('resume', run)).toMatchObject({ code: 5, notes: expect.stringContaining('budget.modelCalls') })
    expect(mandate('resume', run, '--budget', 'modelCalls=2').notes).toContain('fork')
    expect(mandate('fork', run, '--budget', 'modelCalls=2')).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
  })

  it('streams what happens as lines of JSON', () => {
    const { out } = mandate('run', REFUND, 'Refund order A-17.', '--jsonl')
    const types = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types).toEqual(
      expect.arrayContaining([
        'run-start',
        'step-start',
        'effect-start',
        'text-delta',
        'effect-end',
        'approval-request',
        'run-suspend',
      ]),
    )
  })

  it('finds what is wrong with a store', () => {
    suspendedRun()
    expect(mandate('doctor')).toMatchObject({ code: 0, out: expect.stringMatching(/, 1 run$/m) })
    writeFileSync(
      join(store(), 'journal.db'),
      'this is no database, and long enough to be taken for one if nobody looks',
    )
    expect(mandate('doctor')).toMatchObject({ code: 6, out: expect.stringContaining('WRONG') })
  })
})

function suspendedRun(...flags: readonly string[]): string {
  return /mandate resume (\S+)/.exec(mandate('run', REFUND, 'Refund order A-17.', ...flags).notes)![1]!
}

describe('a tool that the client carries out', () => {
  it('suspends the run, which says how to give its result; `mandate answer` gives it', () => {
    const waiting = mandate('run', CLIENT_TOOLS, 'Go.')
    expect(waiting.code).toBe(4)
    expect(waiting.notes).toContain('? locate: Carry out "locate" and give its result. Input: {}')
    const [locate, confirm, weigh] = [...waiting.notes.matchAll(/mandate answer (\S+) <value>/g)].map(([, id]) => id!)
    const run = /mandate resume (\S+)/.exec(waiting.notes)![1]!

    expect(mandate('answer', locate!, 'Oslo').notes).toContain('is not valid JSON')
    expect(mandate('answer', locate!, '{"city": 5}').notes).toContain('city: expected string')
    expect(mandate('answer', locate!, '{"city": " Oslo "}').code).toBe(0)
    expect(mandate('answer', confirm!, '{"sure": true}').code).toBe(0)
    expect(mandate('answer', weigh!, 'much').code).toBe(2)
    expect(mandate('answer', weigh!, 'little').code).toBe(0)
    expect(mandate('resume', run)).toMatchObject({ code: 0, out: 'Thank you.\n' })

    const said = mandate('logs', run, '--json').out
    for (const value of ['{"city":"Oslo"}', '{"sure":true}', '"little"']) expect(said).toContain(`"value":${value}`)
  })

  it('is refused by `mandate deny`, and the model is told why', () => {
    const { notes } = mandate('run', CLIENT_TOOLS, 'Go.')
    const ids = [...notes.matchAll(/mandate answer (\S+) <value>/g)].map(([, id]) => id!)
    const run = /mandate resume (\S+)/.exec(notes)![1]!
    for (const id of ids) expect(mandate('deny', id, 'no permission').code).toBe(0)
    expect(mandate('resume', run)).toMatchObject({ code: 0, out: 'Thank you.\n' })
    expect(mandate('logs', run, '--json').out).toContain('no permission')
  })
})
