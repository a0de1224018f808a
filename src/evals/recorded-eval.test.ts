import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../agent/index.ts'
import type { AgentConfig } from '../agent/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { scripted } from '../model/index.ts'
import type { ScriptedStep } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import { evaluate } from './evaluate.ts'
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
  const { suite, run } = await evalFromRun(service, id, cassettes)
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
  expect((await service.result(run)).text).toBe((await service.result(id)).text)
  const report = await evaluate({ ...suite, cassettes }, { service, mode: 'replay' })
  expect(report).toMatchObject({
    ok: true,
    replayed: true,
    total: { figures: { toolErrors: 1, models: { calls: 4 } } },
  })
  expect(called).toBe(before)
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
