import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  REFUND,
  ROOT,
  SLOW,
  commandLine,
  environment,
  makeStore,
  mandate,
  mandateIn,
  mandateProcess,
  refunds,
  store,
  useOwnFolder,
} from './mandate.fixture.ts'

useOwnFolder()

const ENDING = 'test/cli/fixtures/ending-agent.ts'
const CLIENT_TOOLS = 'test/cli/fixtures/client-tool-agent.ts'

describe('the mandate command', () => {
  it('suspends a run that needs an approval, and after it continues exactly that call, once, in other processes', async () => {
    const suspended = mandateProcess('run', REFUND, 'Refund order A-17.')
    expect(suspended.code).toBe(4)
    const approval = /mandate approve (\S+)/.exec(suspended.notes)![1]!
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    expect(refunds()).toBe('')
    expect(mandateProcess('approve', approval).code).toBe(0)
    // The same once more is no second answer; another one is.
    expect(await mandate('approve', approval)).toMatchObject({
      code: 0,
      notes: expect.stringContaining('already answered'),
    })
    expect(await mandate('deny', approval)).toMatchObject({
      code: 3,
      notes: expect.stringContaining('already answered'),
    })
    const resumed = mandateProcess('resume', run)
    expect(resumed).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    expect(await mandate('resume', run)).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    expect((await mandate('replay', run)).out).toMatch(/^identical: 3 effects/)
    expect((await mandate('verify', run)).out).toMatch(/^ok: \d+ entries/)
    expect(await mandate('approve', approval)).toMatchObject({ code: 3 })
  })

  it('never executes a call that was rejected', async () => {
    const suspended = await mandate('run', REFUND, 'Refund order A-17.')
    const approval = /mandate approve (\S+)/.exec(suspended.notes)![1]!
    expect((await mandate('deny', approval, 'too expensive')).code).toBe(0)
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    expect((await mandate('resume', run)).code).toBe(0)
    expect((await mandate('show', run)).out).toContain('✗ refund denied: too expensive')
    // What does not fit the state of a run is a mistake in the command, not a run that failed.
    expect(await mandate('steer', run, 'Hurry.')).toMatchObject({ code: 2, notes: /RUN_STATE/ })
    expect(refunds()).toBe('')
  })

  it('says with its exit code how a run ended', async () => {
    expect(await mandate('run', 'test/cli/fixtures/looping-agent.ts', 'Look.')).toMatchObject({ code: 5 })
    expect(await mandateIn({ ENDING: 'failed' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 1 })
    expect(await mandateIn({ ENDING: 'missing' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 1 })
    expect(await mandateIn({ ENDING: 'blocked' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 3 })
    expect(await mandateIn({ ENDING: 'often' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 5 })
    expect(await mandateIn({ ENDING: 'killed' }, 'run', ENDING, 'Go.')).toMatchObject({ code: 3 })
    const { notes, code } = await mandateIn({ ENDING: 'here' }, 'run', ENDING, 'Go.')
    expect(code).toBe(0)
    const run = /run (run_\S+)/.exec(notes)![1]!
    expect(await mandateIn({ ENDING: 'here' }, 'replay', run)).toMatchObject({ code: 0 })
    expect(await mandateIn({ ENDING: 'there' }, 'replay', run)).toMatchObject({
      code: 7,
      out: expect.stringMatching(/recorded:.*here[^]*replayed:.*there/),
    })
  })

  it('runs an agent that a file exports as an object, in the host of the command', async () => {
    const opened = 'test/cli/fixtures/opened-agent.ts'
    const { out, notes, code } = await mandate('run', opened, 'Go.')
    expect({ out, code }).toEqual({ out: 'Hello.\n', code: 0 })
    const run = /run (run_\S+)/.exec(notes)![1]!
    expect((await mandate('runs')).out).toContain(run)
    expect(await mandate('replay', run)).toMatchObject({ code: 0, out: expect.stringContaining('identical') })
    // The mandate of its own host holds.
    expect(await mandateIn({ OPENED: 'with no model calls' }, 'run', opened, 'Go.')).toMatchObject({ code: 5, out: '' })
    expect(await mandateIn({ OPENED: 'with a journal' }, 'run', opened, 'Go.')).toMatchObject({
      code: 6,
      notes: expect.stringMatching(/`journal`, which the command provides itself.*Leave it out/),
    })
    expect(await mandateIn({ OPENED: 'in a service' }, 'run', opened, 'Go.')).toMatchObject({
      code: 6,
      notes: expect.stringContaining('export default { id, model, tools }'),
    })
  })

  it('says which version it is', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(await mandate('--version')).toMatchObject({ code: 0, out: `${version}\n` })
  })

  it('puts a run away when nobody reads its output any more', async () => {
    const [program, ...args] = commandLine(['run', SLOW, 'Wait.', '--jsonl'])
    const line = [program!, ...args].map((word) => `'${word}'`).join(' ')
    const { stderr } = spawnSync('sh', ['-c', `${line} | head -n 1`], {
      cwd: ROOT,
      env: environment(),
      encoding: 'utf8',
    })
    expect(stderr).not.toContain('EPIPE')
    const run = /mandate resume (\S+)/.exec(stderr)![1]!
    expect((await mandate('show', run)).out).toContain('suspended (interrupt)')
  })

  it('prints data as JSON on stdout and everything else on stderr', async () => {
    const { out, notes } = await mandate('run', REFUND, 'Refund order A-17.', '--json')
    expect(JSON.parse(out)).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
    expect(notes).toContain('refund')
    const runs = JSON.parse((await mandate('runs', '--json')).out) as unknown[]
    expect(runs).toMatchObject([{ name: 'support', state: 'suspended' }])
  })

  it.each([
    [['bogus'], 2, 'not a command'],
    [['run'], 2, 'mandate run <file|agent>'],
    [['graph', 'nope'], 2, 'Commands of mandate graph: check, fmt, diff, show, run, review'],
    [['run', 'no-such-file.ts'], 6, 'mandate init'],
    [['verify', 'gone.jsonl'], 2, 'There is no file'],
    [['run', 'package.json'], 6, 'cannot be loaded'],
    [['run', 'src/cli/exit-codes.ts'], 6, 'no default export'],
    [['verify', 'nope'], 2, 'no run "nope"'],
    [['resume', 'nope'], 2, 'no run "nope"'],
    [['approve', 'nope'], 2, 'no approval'],
    [['runs', '--wrong'], 2, '--wrong'],
    [['run', 'test/cli/fixtures/program.js', '{bad'], 2, 'not valid JSON'],
    [['run', 'test/cli/fixtures/program.js', '--fuel', 'much'], 2, '--fuel must be a number'],
    [['approve', 'nope', '--edit', '{bad'], 2, '--edit is not valid JSON'],
  ])('refuses `mandate %s` with a message that tells the fix', async (words, code, message) => {
    await makeStore()
    const said = await mandate(...words)
    expect(said.notes).toContain(message)
    expect(said).toMatchObject({ code, out: '' })
  })

  it('makes no store where a command only reads: a folder without one is a typing error', async () => {
    for (const words of [['runs'], ['show', 'r'], ['resume', 'r'], ['audit'], ['approvals']]) {
      const said = await mandate(...words)
      expect(said.notes).toMatch(
        /^error\[NOT_FOUND\] There is no folder .*store: .* Correct --dir, or start a run there/,
      )
      expect(said).toMatchObject({ code: 2, out: '' })
    }
    expect(existsSync(store())).toBe(false)
    expect((await mandate('runs', '--dir', ROOT)).notes).toContain('has no journal.db')
    await makeStore()
    expect(await mandate('runs')).toMatchObject({ code: 0 })
  })

  it('tells its commands', async () => {
    expect(await mandate('--help')).toMatchObject({ code: 0 })
    expect((await mandate('--help')).out).toMatch(/^ {2}resume {2,}Continue a run/m)
  })

  it('shows a run, its entries and what waits for a human', async () => {
    const run = await suspendedRun()
    expect((await mandate('show', run)).out).toMatch(/suspended \(approval\)[^]*Refund order A-17[^]*\? refund/)
    expect(
      (await mandate('logs', run, '--jsonl')).out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toContain('run-suspend')
    expect((await mandate('inbox')).out).toContain(`${run}-ap`)
    expect(JSON.parse((await mandate('inbox', '--json')).out)).toMatchObject([
      { run, name: 'refund', input: { order: 'A-17' }, risk: 'destructive' },
    ])
  })

  it('moves a run to another store, byte for byte, and refuses one that was tampered with', async () => {
    const run = await suspendedRun()
    const exported = (await mandate('export', run)).out
    const file = join(store(), '..', 'run.jsonl')
    writeFileSync(file, exported)
    expect((await mandate('import', file)).notes).toContain('was here already')
    expect(await mandate('import', file, '--dir', join(store(), '..', 'other'))).toMatchObject({ code: 0 })
    expect((await mandate('export', run, '--dir', join(store(), '..', 'other'))).out).toBe(exported)
    writeFileSync(file, exported.replace('A-17', 'A-18'))
    expect(await mandate('import', file, '--dir', join(store(), '..', 'third'))).toMatchObject({
      code: 6,
      notes: expect.stringContaining('is damaged at entry'),
    })
  })

  it('cancels a run that waits, and never runs its call', async () => {
    const run = await suspendedRun()
    expect(await mandate('cancel', run, 'no longer needed')).toMatchObject({ code: 0, out: `${run} cancelled\n` })
    expect(await mandate('resume', run)).toMatchObject({ code: 1 })
    expect(refunds()).toBe('')
  })

  it('forks a run with another outcome of one effect', async () => {
    const run = await suspendedRun()
    await mandate('approve', `${run}-ap4`)
    await mandate('resume', run)
    const forked = await mandate('fork', run, '--key', 'turn:1/tool:1', '--value', '"not refunded"')
    expect(forked).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
    expect(JSON.parse((await mandate('runs', '--json')).out)).toHaveLength(2)
  })

  it('forks a run with another prompt, and refuses what is none', async () => {
    const run = await suspendedRun()
    const forked = await mandate('fork', run, '--input', '"Refund order A-18."', '--json')
    expect(forked).toMatchObject({ code: 4, notes: expect.stringContaining('forked') })
    const id = / as (\S+)/u.exec(forked.notes)![1]!
    expect((await mandate('show', id, '--json')).out).toContain('Refund order A-18.')
    expect((await mandate('fork', run, '--input', '7')).notes).toContain('is a prompt')
    expect((await mandate('fork', run, '--input', 'Try again')).notes).toContain(`quotes of its own: '"Try again"'`)
  })

  it('continues a run that a limit ended with another budget', async () => {
    const run = await suspendedRun('--budget', 'modelCalls=1')
    await mandate('approve', `${run}-ap4`)
    expect((await mandate('resume', run, '--budget', 'modelCals=2')).notes).toContain('Did you mean `modelCalls`?')
    expect(await mandate('resume', run)).toMatchObject({ code: 5, notes: expect.stringContaining('budget.modelCalls') })
    expect((await mandate('resume', run, '--budget', 'modelCalls=2')).notes).toContain('fork')
    expect(await mandate('fork', run, '--budget', 'modelCalls=2')).toMatchObject({ code: 0, out: 'It is paid back.\n' })
    expect(refunds()).toBe('A-17\n')
  })

  it('streams what happens as lines of JSON', async () => {
    const { out } = await mandate('run', REFUND, 'Refund order A-17.', '--jsonl')
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

  it('finds what is wrong with a store', async () => {
    await suspendedRun()
    expect(await mandate('doctor')).toMatchObject({ code: 0, out: expect.stringMatching(/, 1 run$/m) })
    writeFileSync(
      join(store(), 'journal.db'),
      'this is no database, and long enough to be taken for one if nobody looks',
    )
    expect(await mandate('doctor')).toMatchObject({ code: 6, out: expect.stringContaining('WRONG') })
  })
})

async function suspendedRun(...flags: readonly string[]): Promise<string> {
  return /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-17.', ...flags)).notes)![1]!
}

describe('a tool that the client carries out', () => {
  it('suspends the run, which says how to give its result; `mandate answer` gives it', async () => {
    const waiting = await mandate('run', CLIENT_TOOLS, 'Go.')
    expect(waiting.code).toBe(4)
    expect(waiting.notes).toContain('? locate: Carry out "locate" and give its result. Input: {}')
    const [locate, confirm, weigh] = [...waiting.notes.matchAll(/mandate answer (\S+) <value>/g)].map(([, id]) => id!)
    const run = /mandate resume (\S+)/.exec(waiting.notes)![1]!

    expect((await mandate('answer', locate!, 'Oslo')).notes).toContain('is not valid JSON')
    expect((await mandate('answer', locate!, '{"city": 5}')).notes).toContain('city: expected string')
    expect((await mandate('answer', locate!, '{"city": " Oslo "}')).code).toBe(0)
    expect((await mandate('answer', confirm!, '{"sure": true}')).code).toBe(0)
    expect((await mandate('answer', weigh!, 'much')).code).toBe(2)
    expect((await mandate('answer', weigh!, 'little')).code).toBe(0)
    expect(await mandate('resume', run)).toMatchObject({ code: 0, out: 'Thank you.\n' })

    const said = (await mandate('logs', run, '--json')).out
    for (const value of ['{"city":"Oslo"}', '{"sure":true}', '"little"']) expect(said).toContain(`"value":${value}`)
  })

  it('is refused by `mandate deny`, and the model is told why', async () => {
    const { notes } = await mandate('run', CLIENT_TOOLS, 'Go.')
    const ids = [...notes.matchAll(/mandate answer (\S+) <value>/g)].map(([, id]) => id!)
    const run = /mandate resume (\S+)/.exec(notes)![1]!
    for (const id of ids) expect((await mandate('deny', id, 'no permission')).code).toBe(0)
    expect(await mandate('resume', run)).toMatchObject({ code: 0, out: 'Thank you.\n' })
    expect((await mandate('logs', run, '--json')).out).toContain('no permission')
  })
})
