import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentService } from '../../agent/index.ts'
import { listEvals } from '../../evals/index.ts'
import { demoService } from './demo.ts'

describe('the demonstration', () => {
  let service: AgentService
  beforeAll(async () => void (service = await demoService()), 30_000)
  afterAll(() => service.stop())

  test('has runs that came out in every way, over several days, each with a journal that verifies', async () => {
    const runs = await service.runs({ limit: 100 })
    expect(runs.length).toBeGreaterThan(15)
    expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['suspended', 'completed', 'failed', 'cancelled']))
    expect(new Set(runs.map(({ mind }) => mind))).toEqual(new Set(['agent', 'graph', 'cell']))
    const days = new Set(runs.map(({ createdAt }) => new Date(createdAt).toISOString().slice(0, 10)))
    expect(days.size).toBeGreaterThan(3)
    expect(await service.audit()).toMatchObject({ ok: true })
  })

  test('has an eval of a large model, and one of a small model that is cheaper and worse than it', async () => {
    const [small, large] = await listEvals(service)
    expect([large?.agent, large?.ok, small?.agent, small?.regressions]).toEqual(['adviser', true, 'adviser-small', 1])
    expect(small!.total.figures.cost).toBeLessThan((large?.total.figures.cost ?? 0) / 5)
  })

  test('waits for people in every way: a rule, a risk, a label, a question, a member of a team, a call in doubt', async () => {
    const asked = (await service.approvals()).map(({ run, name, reason }) => [run.split('.')[0], name, reason])
    expect(asked).toEqual(
      expect.arrayContaining([
        ['demo-refund', 'refund', 'approval'],
        ['demo-destructive', 'drop_table', 'approval'],
        ['demo-news', 'post_update', 'approval'],
        ['demo-question', 'ask_user', 'question'],
        ['demo-team', 'publish', 'approval'],
        ['demo-doubt', 'charge_card', 'in-doubt'],
      ]),
    )
  })

  test('has a run that a crash interrupted and that went on, one that was blocked, one that a budget ended, and a fork', async () => {
    const lines = async (run: string): Promise<string> => {
      const found: string[] = []
      for await (const { type, data } of service.entries(run)) found.push(`${type} ${JSON.stringify(data)}`)
      return found.join('\n')
    }
    expect(await lines('demo-crash')).toMatch(
      /run-resume[\s\S]*in flight when the process ended[\s\S]*run-end .*"completed"/,
    )
    expect(await lines('demo-injection')).toContain('flow/recipient')
    expect(await lines('demo-budget')).toContain('LIMIT_EXCEEDED')
    expect(await lines('demo-fork')).toContain('"forkOf":{')
  })
})
