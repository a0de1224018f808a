import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../agent/index.ts'
import type { AgentConfig } from '../agent/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { inMemory } from '../memory/index.ts'
import { scripted } from '../model/index.ts'
import type { EmbeddingModel, ScriptedStep } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import { benchmark } from './benchmark.ts'
import { evaluate } from './evaluate.ts'
import { runMetrics } from './metrics.ts'
import { listEvals } from './report-run.ts'
import { evalFromRun } from './recorded-eval.ts'

let called = 0
const look = defineTool({
  name: 'look',
  risk: 'read',
  run: ({ place }: { place: string }) => {
    called += 1
    if (place === 'nowhere') throw new Error('There is nothing there.')
    return { place, seen: 'a tea pot' }
  },
})

const helper: AgentConfig = {
  id: 'helper',
  description: 'Helps.',
  model: scripted(() => 'Helped.', { name: 'helper' }),
}
const SCRIPT: readonly ScriptedStep[] = [
  {
    text: 'I look.',
    toolCalls: [
      { name: 'look', input: { place: 'kitchen' } },
      { name: 'look', input: { place: 'nowhere' } },
    ],
  },
  { toolCalls: [{ name: 'helper', input: { prompt: 'Help me.' } }] },
  'There is a tea pot.',
]

function serviceWith(script: readonly ScriptedStep[], journal = memoryJournal()): AgentService {
  const lead: AgentConfig = { id: 'lead', tools: [look], agents: ['helper'], model: scripted(script) }
  return new AgentService({ journal, agents: [lead, helper] })
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mandate-recorded-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('an eval of a run gives models, failing tools and sub-agents their recorded answers, and calls nothing', async () => {
  const journal = memoryJournal()
  const { id } = await serviceWith(SCRIPT, journal).run('lead', 'What is in the kitchen?', { context: { user: 'ana' } })
  const before = called
  const cassettes = folder()
  // A model that fails when it is called shows that it is not.
  const service = serviceWith([{ error: 'must not be called' }], journal)
  const { suite } = await evalFromRun(service, id, cassettes)
  expect(suite).toMatchObject({
    agent: 'lead',
    tasks: [
      {
        id,
        input: 'What is in the kitchen?',
        context: { user: 'ana' },
        checks: [
          'status == "completed"',
          `tools.join(' ') == "look look helper"`,
          'lastText.includes("There is a tea pot.")',
        ],
      },
    ],
  })
  const report = await evaluate({ ...suite, cassettes }, { service, mode: 'replay' })
  expect(report).toMatchObject({
    ok: true,
    replayed: true,
    total: { figures: { toolErrors: 1, models: { calls: 4 } } },
  })
  expect(called).toBe(before)
})

test('an eval of a run that has said nothing has no check of its text, which every text would pass', async () => {
  const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })
  const model = scripted([{ toolCalls: [{ name: 'pay', input: {} }] }, 'Done.'])
  const service = new AgentService({ journal: memoryJournal(), agents: [{ id: 'payer', tools: [pay], model }] })
  const { id } = await service.run('payer', 'Pay.')
  const { suite } = await evalFromRun(service, id, folder())
  expect(suite.tasks[0]?.checks).toEqual(['status == "await_user"', 'tools.length == 0'])
})

/** Everything that shows or answers runs: lists, inbox, sessions, metrics, every journal of the store. */
async function seen(service: AgentService): Promise<unknown> {
  const runs = await service.runs()
  const { journal } = service
  const stored = await journal.list({ limit: 1_000 })
  return {
    runs: runs.map(({ run, state, updatedAt }) => [run, state, updatedAt]),
    approvals: await service.approvals(),
    metrics: await runMetrics(journal),
    stored: stored.map(({ run }) => run).filter((run) => !run.startsWith('eval_')),
  }
}

test('copies for evals of a run that waits are in no list, inbox or metric, cannot be approved, and do nothing', async () => {
  const paid: string[] = []
  const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => void paid.push('paid') })
  const agent: AgentConfig = {
    id: 'payer',
    tools: [pay],
    model: scripted(() => ({ text: 'I pay.', toolCalls: [{ name: 'pay', input: {} }] })),
  }
  const events: string[] = []
  const service = new AgentService({
    agents: [agent],
    sinks: [{ name: 'events', write: ({ runId }) => void events.push(runId) }],
  })
  const { id } = await service.run('payer', 'Pay.')
  const before = await seen(service)
  const cassettes = folder()

  const { suite } = await evalFromRun(service, id, cassettes)
  expect(suite.tasks[0]!.checks).toContain('status == "await_user"')
  const replayed = await evaluate({ ...suite, cassettes }, { service, mode: 'replay' })
  const live = await evaluate({ ...suite, name: 'live' }, { service })
  await benchmark({ ...suite, agent, variants: { one: { id: 'one' }, two: { id: 'two' } } }, { service })
  expect(await service.explain({ agent: 'payer', name: 'pay', input: {} })).toMatchObject({
    decision: { verdict: 'ask' },
  })

  expect([replayed.ok, live.ok]).toEqual([true, true])
  expect(await seen(service)).toEqual(before)
  expect(new Set(events)).toEqual(new Set([id, ...(await listEvals(service)).map((report) => report.id)]))
  expect(await listEvals(service)).toHaveLength(4)
  for (const { run } of [...replayed.attempts, ...live.attempts]) {
    await expect(service.resume(run)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(service.approve(`${run}-ap4`)).rejects.toMatchObject({ code: expect.stringMatching(/NOT_FOUND/) })
  }
  expect(paid).toEqual([])

  const [request] = await service.approvals()
  await service.approve(request!.id)
  await service.resume(id)
  expect(paid).toEqual(['paid'])
})

test('an eval of a run takes what memory and embeddings gave from its journal, and writes nothing', async () => {
  const memory = inMemory()
  let embedded = 0
  const embeddingModel: EmbeddingModel = {
    ...{ id: 'fake/embed', provider: 'fake', modelId: 'embed' },
    async embed({ values }) {
      embedded += 1
      return { embeddings: values.map(({ length }) => [1, length]), usage: { inputTokens: 1 }, warnings: [] }
    },
  }
  const agent: AgentConfig = {
    id: 'noter',
    memoryClient: memory,
    embeddingModel,
    recall: {},
    model: scripted(() => 'Noted.'),
  }
  const service = new AgentService({ agents: [agent] })
  const { id } = await service.run('noter', 'Note that.', { sessionId: 's' })
  const stored = async (): Promise<number> => (await memory.search('note')).length
  const before = [await stored(), embedded]
  expect(before).toEqual([1, expect.toSatisfy((count: number) => count > 0)])
  await evalFromRun(service, id, folder())
  expect([await stored(), embedded]).toEqual(before)
})

test('where the agent does something else today, that is said', async () => {
  const journal = memoryJournal()
  const { id } = await serviceWith(SCRIPT, journal).run('lead', 'What is in the kitchen?')
  const shorter = new AgentService({
    journal,
    agents: [{ id: 'lead', tools: [look], agents: ['helper'], maxTurns: 1, model: scripted(['']) }, helper],
  })
  await expect(evalFromRun(shorter, id, folder())).rejects.toMatchObject({
    code: 'REPLAY_DIVERGED',
    message: expect.stringContaining('max_turns'),
  })
})

test('runs that a task cannot stand for are refused', async () => {
  const service = serviceWith(SCRIPT)
  const cassettes = folder()
  await expect(evalFromRun(service, 'run_none', cassettes)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const told = await service.run('lead', 'What is in the kitchen?', { instructions: 'Be brief.' })
  await expect(evalFromRun(service, told.id, cassettes)).rejects.toThrow('instructions of its own')
  const history = [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] as const
  const later = await service.run('lead', 'And now?', { history })
  await expect(evalFromRun(service, later.id, cassettes)).rejects.toThrow('a conversation before it')
  const report = await evaluate(
    { name: 'e', agent: 'helper', tasks: [{ input: 'Hi.', checks: ['steps == 1'] }] },
    { service },
  )
  await expect(evalFromRun(service, report.id, cassettes)).rejects.toThrow('runs of agents')
  expect(existsSync(join(cassettes, `${told.id}-1.cassette.json`))).toBe(false)
})
