import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REFUND, mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const EVAL = 'examples/evals/refunds.eval.json'
const AGENT = 'examples/evals/agent.ts'

/** A file of the test's own, beside its store. */
function file(name: string, content?: unknown): string {
  const path = join(store(), '..', name)
  if (content !== undefined) writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('mandate eval', () => {
  it('says how often tasks were done and what they took, and keeps the report', async () => {
    const { code, out, notes } = await mandate(
      'eval',
      EVAL,
      '--repeat',
      '2',
      '--concurrency',
      '2',
      '--baseline',
      file('none.json'),
      '--update-baseline',
    )
    expect(code, notes).toBe(0)
    expect(out).toMatch(/^task +passed +rate \(95 %\) +steps +errors +tokens +cost +time$/m)
    expect(out).toMatch(/^unknown-order +2\/2 +100 % \(34–100\) +2\.0 +2\/2 /m)
    expect(out).toContain('refunds: 6 of 6 attempts passed, 100 % (61–100)')
    expect(out).toContain('tool find_order: 6 calls, 2 errors')
    for (const line of out.split('\n').slice(0, 5)) expect(line.length).toBeLessThanOrEqual(80)
    expect(notes).toContain('passed delivered #2')
    const [id] = /eval_\w+/.exec(out)!
    expect((await mandate('eval', 'list')).out).toContain(id)
    expect((await mandate('eval', 'show', id)).out).toBe(out)
    expect((await mandate('replay', id)).out).toContain('identical')
    expect((await mandate('runs', '--json')).out).not.toMatch(/eval|"refunds"/)
    expect(JSON.parse((await mandate('metrics', '--json')).out)).toMatchObject({ figures: { runs: 0 } })
    expect(JSON.parse((await mandate('metrics', '--since', '2100-01-01', '--json')).out)).toMatchObject({
      figures: { runs: 0 },
    })
  })

  it('ends with 1 on a regression against the baseline, and without a baseline when a check fails', async () => {
    const suite = JSON.parse(readFileSync(EVAL, 'utf8')) as { checks: string[] }
    const path = file('own.eval.json', { ...suite, agent: undefined })
    const ran = (...words: string[]) => mandate('eval', path, '--file', AGENT, ...words)
    expect(await ran('--update-baseline')).toMatchObject({ code: 0 })
    expect(existsSync(file('own.eval.baseline.json'))).toBe(true)
    expect((await ran()).out).toContain('no regression against the baseline')
    const recorded = (): string[] =>
      Object.keys((JSON.parse(readFileSync(file('own.eval.baseline.json'), 'utf8')) as { tasks: object }).tasks)
    const all = recorded()
    await ran('--tag', 'smoke', '--update-baseline')
    expect([all.length > 1, recorded()]).toEqual([true, all])
    file('own.eval.json', { ...suite, agent: undefined, checks: ['steps <= 1'] })
    const worse = await ran('--json')
    expect(worse.code).toBe(1)
    expect(JSON.parse(worse.out)).toMatchObject({
      ok: false,
      comparison: { regressions: [{ task: 'open-order', what: 'success', now: 0 }, {}, {}] },
    })
    expect((await ran()).out).toContain('worse  open-order: success 1 → 0')
    const lines = [{ checks: ['steps <= 1'] }, { input: 'Please refund order 12.' }].map((line) => JSON.stringify(line))
    const failed = await mandate('eval', file('lines.jsonl', lines.join('\n')), '--file', AGENT)
    expect(failed.code).toBe(1)
    expect(failed.out).toMatch(/failed:\n {2}Please-refund-order-12 #1 \(completed\)\n {4}steps <= 1: it does not hold/)
    expect((await mandate('eval', path, '--file', AGENT, '--baseline', file('gone.json'))).notes).toContain(
      '--update-baseline',
    )
  })

  it('compares variants side by side', async () => {
    const module = `import agent from ${JSON.stringify(join(process.cwd(), AGENT))}
      export default { name: 'v', agent, tasks: [{ input: 'Please refund order 12.', checks: ['steps == 2'] }], variants: { same: {}, short: { maxTurns: 1 } } }`
    const { code, out } = await mandate('eval', file('variants.eval.ts', module), '--bench')
    expect(code).toBe(0)
    expect(out).toMatch(/^same +1\/1 +100 %/m)
    expect(out).toMatch(/^short +0\/1 +0 %/m)
  })

  it('runs an eval that imports the agent of its project', async () => {
    const agents = `import agent from ${JSON.stringify(join(process.cwd(), AGENT))}
      export default { agents: [agent] }`
    const module = `import host from ${JSON.stringify(file('host.ts', agents))}
      export default { name: 'own', agent: host.agents[0], tasks: [{ input: 'Please refund order 12.', checks: ['steps == 2'] }] }`
    const { code, out, notes } = await mandate('eval', file('own.eval.ts', module), '--file', file('host.ts'))
    expect([code, notes]).toEqual([0, expect.not.stringContaining('error')])
    expect(out).toContain('1 of 1 attempt passed')
  })

  it('makes a regression eval from a run that was approved, which repeats nothing', async () => {
    const suspended = await mandate('run', REFUND, 'Refund order A-17.')
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    await mandate('approve', /mandate approve (\S+)/.exec(suspended.notes)![1]!)
    await mandate('resume', run)
    const before = refunds()
    expect(before).toContain('A-17')
    mkdirSync(file('out'))
    const made = await mandate('eval', 'from-run', run, '--out', file('out'), '--json')
    expect(made.code, made.notes).toBe(0)
    const { path, suite } = JSON.parse(made.out) as { path: string; suite: object }
    expect(suite).toMatchObject({
      approvals: 'approve',
      tasks: [{ id: run, checks: expect.arrayContaining(['status == "completed"']) }],
    })
    const again = await mandate('eval', path)
    expect(again.code, again.out).toBe(0)
    expect(again.out).toContain('from cassettes')
    expect(refunds()).toBe(before)
    expect((await mandate('eval', 'from-run', 'run_none')).code).toBe(2)
  })

  it('makes a regression eval from a run that waits, whose request stays the only one', async () => {
    const suspended = await mandate('run', REFUND, 'Refund order A-17.')
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    const before = refunds()
    const shown = async (): Promise<readonly string[]> => {
      const all: string[] = []
      for (const name of ['runs', 'inbox', 'approvals', 'metrics']) all.push((await mandate(name, '--json')).out)
      return all
    }
    const seen = await shown()
    expect(seen[1]).toContain(run)
    expect((await mandate('eval', 'from-run', run, '--out', file('waits'))).code).toBe(0)
    expect((await mandate('eval', file(`waits/${run}.eval.json`))).code).toBe(0)
    expect(await shown()).toEqual(seen)
    expect(refunds()).toBe(before)
  })

  it('says what is wrong with a file, a flag and a name', async () => {
    expect((await mandate('eval', file('gone.eval.json'))).notes).toContain('There is no file')
    expect((await mandate('eval', EVAL, '--tag', 'smoek')).notes).toContain('Tags of "refunds": smoke')
    expect((await mandate('eval', EVAL, '--cassette', 'rewind')).notes).toContain('record, replay or live')
    expect((await mandate('eval', file('empty.eval.json', { tasks: [] }), '--file', AGENT)).notes).toContain(
      'has no tasks',
    )
    expect((await mandate('eval', 'show', 'eval_none')).code).toBe(2)
    const damaged = await mandate('eval', file('damaged.eval.json', '{"tasks":'))
    expect([damaged.code, damaged.notes]).toEqual([6, expect.stringContaining('is not valid JSON')])
    const benched = await mandate('eval', EVAL, '--bench', '--update-baseline')
    expect([benched.code, benched.notes]).toEqual([2, expect.stringContaining('--bench')])
    const live = await mandate(
      'eval',
      file('live.eval.json', { tasks: [{ input: 'Hi', checks: ['steps > 0'] }] }),
      '--file',
      AGENT,
      '--cassette',
      'replay',
    )
    expect([live.code, live.notes]).toEqual([6, expect.stringContaining('has no `cassettes`')])
  })
})
