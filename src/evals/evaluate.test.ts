import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { AgentService } from '../agent/index.ts'
import type { AgentConfig } from '../agent/index.ts'
import { scripted } from '../model/index.ts'
import type { ModelRequest } from '../model/index.ts'
import { fileCassette } from '../testing/index.ts'
import { defineTool } from '../tool/index.ts'
import { assertEval } from './assert-eval.ts'
import { benchmark } from './benchmark.ts'
import { baselineOf } from './comparison.ts'
import type { EvalBaseline } from './comparison.ts'
import { evaluate } from './evaluate.ts'
import { runMetrics } from './metrics.ts'
import { listEvals, readEval } from './report-run.ts'
import type { EvalSuite } from './suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'mandate-evals-'))
afterAll(() => rmSync(folder, { recursive: true }))

let called = 0
const weather = defineTool({
  name: 'weather',
  risk: 'read',
  run: ({ city }: { city: string }) => {
    called += 1
    if (city === 'Atlantis') throw new Error('no such city')
    return { sky: 'grey' }
  },
})

const heard = (request: ModelRequest): string => JSON.stringify(request.messages.at(-1))

/** Asks for the weather of the city that it is asked about, then tells it. */
const agent: AgentConfig = {
  id: 'weather',
  tools: [weather],
  model: scripted((request) => {
    const last = heard(request)
    if (last.includes('"role":"tool"')) return last.includes('grey') ? 'It is grey.' : 'I do not know.'
    return { toolCalls: [{ name: 'weather', input: { city: last.includes('Oslo') ? 'Oslo' : 'Atlantis' } }] }
  }),
}

const tasks: EvalSuite['tasks'] = [
  {
    id: 'oslo',
    input: 'How is Oslo?',
    expected: 'grey',
    tags: ['smoke'],
    checks: ['text.includes(expected)', "tools.join() == 'weather'"],
  },
  { id: 'atlantis', input: 'How is Atlantis?', checks: ["text.includes('grey')", 'toolErrors == 1'] },
]
const suite: EvalSuite = { name: 'weather', agent, tasks, repeat: 2 }

describe('an eval', () => {
  test('counts attempts, checks, steps, tool errors and tokens, and keeps its report, and no attempt', async () => {
    const service = new AgentService()
    const report = await evaluate(suite, { service, concurrency: 3 })
    expect(report).toMatchObject({ name: 'weather', agent: 'weather', ok: false, replayed: false, left: 0 })
    expect(report.total).toMatchObject({ passed: 2, attempts: 4, rate: 0.5, score: 0.75 })
    expect(report.total.figures).toMatchObject({ runs: 4, steps: 2, toolCalls: 4, toolErrors: 2, models: { calls: 8 } })
    expect(report.total.figures.tools['weather']).toMatchObject({ calls: 4, errors: 2 })
    expect(report.tasks.map(({ task, rate }) => [task, rate])).toEqual([
      ['oslo', 1],
      ['atlantis', 0],
    ])
    expect(report.attempts.map(({ task, attempt }) => `${task}-${attempt}`)).toEqual([
      'oslo-1',
      'oslo-2',
      'atlantis-1',
      'atlantis-2',
    ])
    expect(report.attempts[2]!.checks).toMatchObject([
      { passed: false, reason: 'it does not hold' },
      { passed: true, score: 1 },
    ])
    expect(report.attempts[0]!.tokens).toBeGreaterThan(0)
    expect(report.attempts.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed'])
    expect(await service.runs()).toEqual([])
    expect(await listEvals(service)).toMatchObject([{ id: report.id, name: 'weather', ok: false, regressions: null }])
    expect(await readEval(service, report.id)).toEqual(report)
    await expect(readEval(service, report.attempts[0]!.run)).rejects.toThrow('no report of an eval')
    expect((await runMetrics(service.journal)).success).toMatchObject({ attempts: 0 })
    await service.stop()
  })

  test('gives every attempt a session of its own, however long the id of its task is', async () => {
    const service = new AgentService()
    const long = { ...tasks[0]!, id: 'oslo'.repeat(30) }
    const sessions = new Set<string>()
    const told = defineTool({
      name: 'weather',
      risk: 'read',
      run: (_input, { sessionId }) => {
        sessions.add(sessionId)
        return 'grey'
      },
    })
    const two = [long, { ...long, id: `${long.id}-2` }]
    await evaluate({ ...suite, agent: { ...agent, tools: [told] }, tasks: two }, { service })
    expect(sessions.size).toBe(4)
  })

  test('of an agent that its service has already is told to name it by its id', async () => {
    const service = new AgentService({ agents: [agent] })
    await expect(evaluate(suite, { service })).rejects.toThrow("Give the eval its id: `agent: 'weather'`")
    expect(await evaluate({ ...suite, tasks: [tasks[0]!], agent: 'weather' }, { service })).toMatchObject({ ok: true })
  })

  test('fails a test with what failed and why', async () => {
    const report = await evaluate(suite)
    expect(() => assertEval(report)).toThrow(
      /2 of 4 attempts[\s\S]*atlantis #1[\s\S]*text\.includes\('grey'\): it does not hold/,
    )
    expect(() => assertEval(report, { atLeast: 0.6 })).toThrow('0.6 is needed')
    assertEval(report, { atLeast: 0.5 })
  })

  test('runs only the tasks with a tag', async () => {
    const report = await evaluate(suite, { tags: ['smoke'], repeat: 1 })
    expect(report.attempts.map(({ task }) => task)).toEqual(['oslo'])
    assertEval(report)
    await expect(evaluate(suite, { tags: ['smoek'] })).rejects.toThrow('Tags of "weather": smoke')
  })

  test('takes functions as checks: what they throw, give and score', async () => {
    const checks: EvalSuite['checks'] = [
      function quiet() {},
      { name: 'half', run: () => 0.5 },
      { name: 'half is enough', run: () => 0.5, atLeast: 0.4 },
      { name: 'throws', run: ({ text }) => expect(text).toBe('blue') },
      { name: 'told', run: async () => ({ pass: false, score: 0.2, reason: 'too short' }) },
    ]
    const { attempts } = await evaluate({ ...suite, tasks: [{ input: 'How is Oslo?', checks }], repeat: 1 })
    expect(attempts[0]!.checks.map(({ name, passed, score }) => [name, passed, score])).toEqual([
      ['quiet', true, 1],
      ['half', false, 0.5],
      ['half is enough', true, 0.5],
      ['throws', false, 0],
      ['told', false, 0.2],
    ])
    expect(attempts[0]!.checks[4]!.reason).toBe('too short')
  })

  test('has a model judge, whose work is a run of its own, in memory, and not counted as the agent’s', async () => {
    const judge = scripted((request) => {
      const asked = JSON.stringify(request.messages)
      return JSON.stringify({ score: asked.includes('It is grey.') ? 0.9 : 0.1, reason: 'it names the sky' })
    })
    const judged: EvalSuite = {
      ...suite,
      judge,
      tasks: tasks.map((task) => ({ ...task, checks: [{ judge: 'It names the sky.' }] })),
    }
    const service = new AgentService()
    const report = await evaluate(judged, { service, repeat: 1 })
    expect(report.attempts.map(({ passed }) => passed)).toEqual([true, false])
    const [check] = report.attempts[0]!.checks
    expect(check).toMatchObject({ name: 'judge: It names the sky.', score: 0.9, reason: 'it names the sky' })
    expect(check!.run).toMatch(/^run_/)
    expect(await service.runs()).toEqual([])
    expect(report.judge).toMatchObject({ runs: 2 })
    expect(report.total.figures).toMatchObject({ runs: 2, models: { calls: 4 } })
    await expect(evaluate({ ...judged, judge: undefined })).rejects.toThrow('Add `judge`')
    await service.stop()
  })

  test('answers approvals as the suite says, and lets attempts wait where it says nothing', async () => {
    const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })
    const model = scripted((request) =>
      heard(request).includes('"role":"tool"') ? heard(request) : { toolCalls: [{ name: 'pay' }] },
    )
    const paying: EvalSuite = {
      name: 'pay',
      agent: { id: 'payer', tools: [pay], model },
      tasks: [{ id: 'pay', input: 'Pay.', checks: ["status == 'completed'"] }],
    }
    const attemptOf = async (approvals?: 'approve' | 'reject') =>
      (await evaluate({ ...paying, approvals })).attempts[0]!
    expect(await attemptOf()).toMatchObject({ status: 'await_user', passed: false })
    expect(await attemptOf('approve')).toMatchObject({ passed: true, answer: expect.stringContaining('paid') })
    expect((await attemptOf('reject')).answer).not.toContain('paid')
  })

  test('cut short says how much is left, and is not ok', async () => {
    const stop = new AbortController()
    const report = await evaluate(
      { ...suite, tasks: [tasks[0]!], repeat: 5 },
      { signal: stop.signal, onAttempt: () => stop.abort() },
    )
    expect(report).toMatchObject({ left: 4, ok: false, total: { attempts: 1, passed: 1 } })
  })
})

describe('cassettes', () => {
  const recorded: EvalSuite = { ...suite, tasks: [tasks[0]!], cassettes: join(folder, 'tapes') }

  test('hold one attempt each; replayed, nothing is called and the report is the same', async () => {
    const first = await evaluate(recorded, { mode: 'record', concurrency: 2 })
    expect(readdirSync(join(folder, 'tapes')).toSorted()).toEqual(['oslo-1.cassette.json', 'oslo-2.cassette.json'])
    const before = called
    const silent = { ...agent, model: scripted([{ error: 'must not be called' }]) }
    const again = await evaluate({ ...recorded, agent: silent }, { mode: 'replay' })
    expect([called, again.replayed, first.replayed]).toEqual([before, true, false])
    const told = ({ attempts }: typeof first) =>
      attempts.map(({ checks, answer, steps, tokens }) => ({ checks, answer, steps, tokens }))
    expect(told(again)).toEqual(told(first))
  })

  test('a call that was not recorded fails the attempt with how it differs', async () => {
    const changed = { ...agent, instructions: 'Answer in rhymes.' }
    const report = await evaluate({ ...recorded, agent: changed }, { mode: 'replay', repeat: 1 })
    expect(report.ok).toBe(false)
    expect(report.attempts[0]!.checks.at(-1)).toMatchObject({
      name: 'cassette',
      reason: expect.stringContaining('rhymes'),
    })
  })

  test('with a baseline every change of a replayed attempt counts', async () => {
    const baseline = baselineOf(await evaluate(recorded, { mode: 'replay' }))
    expect(await evaluate(recorded, { mode: 'replay', baseline })).toMatchObject({
      ok: true,
      comparison: { regressions: [] },
    })
    const stricter = { ...recorded, checks: ['steps == 1'] }
    const worse = await evaluate(stricter, { mode: 'replay', baseline })
    expect(worse).toMatchObject({
      ok: false,
      comparison: { regressions: [{ task: 'oslo', what: 'success', before: 1, now: 0 }] },
    })
    expect(() => assertEval(worse)).toThrow('success was 1 and is 0')
  })
})

test('a mode that would have no effect is refused before anything is called', async () => {
  const before = called
  await expect(evaluate(suite, { mode: 'replay' })).rejects.toThrow('has no `cassettes`')
  await expect(evaluate(suite, { mode: 'record' })).rejects.toThrow('has no `cassettes`')
  const own: EvalSuite = { ...suite, cassettes: (name) => fileCassette(join(folder, `${name}.json`)) }
  await expect(evaluate(own, { mode: 'replay' })).rejects.toThrow('opens its cassettes with a function')
  expect(called).toBe(before)
})

describe('a baseline', () => {
  const oslo: EvalSuite = { ...suite, tasks: [tasks[0]!] }

  test('does not excuse new tasks that fail', async () => {
    const baseline = baselineOf(await evaluate(oslo))
    const failing = { id: 'new', input: 'How is Atlantis?', checks: ["status == 'failed'"] }
    const more = await evaluate({ ...oslo, tasks: [tasks[0]!, failing] }, { baseline })
    expect(more).toMatchObject({ ok: false, comparison: { regressions: [], added: ['new'] } })
    expect(await evaluate({ ...oslo, tasks: [tasks[0]!, failing], threshold: 0 }, { baseline })).toMatchObject({
      ok: true,
    })
    const other = { ...baseline, tasks: {} }
    const stricter = { ...oslo, checks: ['steps == 1'] }
    expect(await evaluate(stricter, { baseline: other })).toMatchObject({ ok: false })
  })

  test('that is damaged is refused, because it would let every regression pass', async () => {
    const baseline = baselineOf(await evaluate(oslo))
    const { attempts: _, ...rest } = baseline.tasks['oslo']!
    for (const [task, message] of [
      [rest, 'has no `attempts`'],
      [{ ...rest, attempts: '2' }, '`attempts`'],
      [{ ...rest, attempts: 2, tokns: 1 }, 'Did you mean `tokens`'],
      [null, 'An object is needed'],
    ] as const)
      await expect(
        evaluate(oslo, { baseline: { ...baseline, tasks: { oslo: task } } as unknown as EvalBaseline }),
        message,
      ).rejects.toThrow(message)
  })
})

test('a benchmark runs the same tasks with each variant', async () => {
  const { variants } = await benchmark({
    ...suite,
    tasks: [tasks[0]!],
    variants: { same: {}, silent: { model: scripted(() => 'No idea.') } },
  })
  expect(variants.map(({ variant, report }) => [variant, report.agent, report.total.rate])).toEqual([
    ['same', 'weather-same', 1],
    ['silent', 'weather-silent', 0],
  ])
  await expect(benchmark(suite)).rejects.toThrow('no `variants`')
})

test('mistakes in a suite are told before anything is run', async () => {
  const before = called
  const bad: readonly [Partial<Record<keyof EvalSuite, unknown>>, string][] = [
    [{ tasks: [] }, 'has no tasks'],
    [{ tasks: [{ input: 'Hi' }] }, 'could not fail'],
    [{ tasks: [{ input: 'Hi', checks: ['text =='] }] }, 'The expression "text =="'],
    [{ tasks: [{ input: 'Hi', checks: ["txt == 'Hi'"] }] }, '`txt` is not known; known are: task, '],
    [{ tasks: [{ input: 'Hi', checks: [{}] }] }, 'exactly one of'],
    [{ tasks: [{ input: 'Hi', chekcs: [] }] }, 'Did you mean `checks`'],
    [{ tasks: [tasks[0], tasks[0]] }, 'Two tasks have the id "oslo"'],
    [{ repeat: 0 }, '`repeat`'],
    [{ threshold: 90 }, 'a number from 0 to 1'],
    [{ approvals: 'maybe' }, "'approve' or 'reject'"],
    [{ agent: undefined }, 'names no agent'],
    [{ agent: 'weather' }, 'Give the `service`'],
    [{ tolerance: { token: 2 } }, 'Did you mean `tokens`'],
  ]
  for (const [change, message] of bad)
    await expect(evaluate({ ...suite, ...change } as EvalSuite), message).rejects.toThrow(message)
  expect(called).toBe(before)
})
