import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })

/** A run with two payments: the first was approved as edited, for all of the run, and the second one needed no further answer. */
async function answered(): Promise<AgentService> {
  const payment = (amount: number) => ({ toolCalls: [{ name: 'pay', input: { amount, to: 'ben' } }] })
  const model = scripted([payment(80), payment(20), 'Paid.'])
  const service = new AgentService({ agents: [{ id: 'clerk', tools: [pay], model }] })
  await service.run('clerk', 'Pay.', { runId: 'pays' })
  const [request] = await service.approvals()
  await service.approve(request!.id, { edit: { amount: 40, to: 'ben' }, scope: 'run', reason: 'Half of it.' })
  await service.resume('pays')
  return service
}

describe.skipIf(CHROMIUM === undefined)('a call that a person let pass', { timeout: 60_000 }, () => {
  const studio = useStudio({ service: answered })
  const seqOf = async (type: string, key: string): Promise<number> => {
    for await (const entry of studio.service.entries('pays'))
      if (entry.type === type && entry.key === key) return entry.seq
    throw new Error(`There is no ${type} of ${key}.`)
  }
  const panelAt = async (seq: number): Promise<Page> => {
    const page = await studio.open(`/runs/pays?at=${seq}`)
    await page.getByRole('heading', { name: `#${seq}` }).waitFor()
    return page
  }

  it('says at each of its entries who did, when, why, how far it reaches and what was edited', async () => {
    for (const type of ['approval-request', 'effect-start', 'effect-end']) {
      const page = await panelAt(await seqOf(type, 'turn:1/tool:1'))
      const answer = page.getByRole('complementary').getByLabel('The answer of a person')
      await answer.getByText('"amount": 40').waitFor()
      const text = (await answer.textContent())!
      expect(text, type).toMatch(
        new RegExp(`approved ?as edited.*by ${studio.service.identity.id}.*every call of this tool`),
      )
      expect(text, type).toContain('Reason: Half of it.')
      expect(text, type).toMatch(/-\s*"amount": 80.*\+\s*"amount": 40/s)
      await page.close()
    }
  })

  it('names an earlier approval of the run that it was let pass by', async () => {
    const page = await panelAt(await seqOf('effect-end', 'turn:2/tool:1'))
    const answer = page.getByRole('complementary').getByLabel('The answer of a person')
    await answer.getByText('"amount": 40').waitFor()
    expect(await answer.textContent()).toContain(`by ${studio.service.identity.id}`)
    await page.close()
  })

  it('has the answer in its conversation, between the call and its result', async () => {
    const page = await studio.open('/runs/pays?tab=chat')
    const log = page.getByRole('log', { name: 'Conversation' })
    await log.getByText('"amount": 40').waitFor()
    expect(await log.textContent()).toMatch(/calls pay.*approved ?as edited.*by .*result of pay/s)
    expect(page.faults).toEqual([])
    await page.close()
  })
})
