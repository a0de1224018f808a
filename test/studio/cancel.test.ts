import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

const wait = defineTool({
  name: 'wait',
  risk: 'read',
  run: (_input: unknown, { signal }) =>
    new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
})

/** Two runs that would never end. */
async function endless(): Promise<AgentService> {
  const call = { toolCalls: [{ name: 'wait', input: {} }] }
  const agents = ['one', 'two'].map((id) => ({ id, tools: [wait], model: scripted([call, 'Done.']) }))
  const service = new AgentService({ agents })
  for (const { id } of agents) void service.run(id, 'Wait.', { runId: `waits-${id}` }).catch(() => {})
  return service
}

describe.skipIf(CHROMIUM === undefined)('a run that is under way', { timeout: 60_000 }, () => {
  const studio = useStudio({ service: endless })

  it('is cancelled on its page after a question, with a reason, and says that it is', async () => {
    const page = await studio.open('/runs/waits-one')
    // The second click of a double click does not answer the question.
    await page.getByRole('button', { name: /^cancel/ }).dblclick()
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' })
    await dialog.getByLabel('Why (recorded)').fill('It hangs.')
    expect((await studio.service.summary('waits-one')).state).toBe('running')
    await dialog.getByText("mandate cancel waits-one 'It hangs.'").waitFor()
    await dialog.getByRole('button', { name: 'Cancel the run' }).click()
    await dialog.getByText('The run is cancelled.').waitFor()
    expect((await studio.service.summary('waits-one')).state).toBe('cancelled')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.locator('main header').getByText('cancelled').waitFor()
    expect(await page.getByRole('button', { name: /^cancel/ }).count()).toBe(0)
    await page.getByText('It hangs.').first().waitFor()
    await page.close()
  })

  it('is found and cancelled from the palette, by keys alone', async () => {
    const page = await studio.open('/runs/waits-two')
    await page.getByRole('button', { name: /^cancel/ }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cancel the')
    await page.getByRole('option', { name: /Cancel the run/ }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' })
    await dialog.getByRole('button', { name: 'Cancel the run' }).and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('The run is cancelled.').waitFor()
    expect((await studio.service.summary('waits-two')).state).toBe('cancelled')
    await page.close()
  })
})
