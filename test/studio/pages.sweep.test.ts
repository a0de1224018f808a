import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AgentService, kernelOf } from '../../src/agent/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

describe.skipIf(CHROMIUM === undefined)('the pages of the studio', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('talks with an agent: files go along, markdown is read, another agent takes over', async () => {
    const page = await studio.open('/agents/adviser')
    await page
      .getByLabel('Attach files')
      .setInputFiles({ name: 'pot.txt', mimeType: 'text/plain', buffer: Buffer.from('brown') })
    await page.getByLabel('Message').fill('Which pot?')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'Brown Betty' }).waitFor()
    await page.locator('pre', { hasText: "leaves === 'green'" }).waitFor()
    const session = new URL(page.url()).searchParams.get('session')!
    const [run] = await studio.service.runs({ sessionId: session })
    expect(JSON.stringify(await studio.service.messages(run!.run))).toContain('pot.txt')
    await page.locator('select').first().selectOption('adviser-small')
    await page.getByLabel('Message').fill('And how long?')
    await page.keyboard.press('Enter')
    await page.getByText('Four.', { exact: true }).or(page.getByText('It pours well and costs $29.')).first().waitFor()
    expect((await studio.service.runs({ sessionId: session })).map(({ name }) => name)).toEqual([
      'adviser-small',
      'adviser',
    ])
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('shows versions of a prompt with what changed, moves a label, saves a new version, and lists the runs of each', async () => {
    const page = await studio.open('/agents')
    await page.getByRole('tab', { name: 'Prompts' }).click()
    await page.getByText('Greeting', { exact: true }).click()
    const versions = page.getByRole('list', { name: 'Versions' })
    await versions.getByRole('button', { name: 'version 2' }).waitFor()
    await page.getByText('+Say where the kettle is.').waitFor()
    await page.getByLabel('Runs using this version').getByText('demo-hello-again').waitFor()
    await page.getByRole('button', { name: /Move production from 1 to 2/ }).click()
    await versions.getByRole('button', { name: /version 2 ?production/ }).waitFor()
    expect((await studio.service.as(studio.service.identity).promptVersions('greeting')).labels).toEqual({
      production: '2',
    })
    await page.getByLabel('Text of version 2').fill('You greet people at {{ company }}, in verse.')
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await versions.getByRole('button', { name: 'version 3' }).waitFor()
    await versions.getByRole('button', { name: 'version 1' }).click()
    await page.getByLabel('Runs using this version').getByText('demo-hello', { exact: true }).waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('gives one prompt to one agent with two models, and compares what they made of it', async () => {
    const page = await studio.open('/compare')
    await page.getByText('Both runs perform effects and spend money.').waitFor()
    const form = page.locator('form')
    const [a, b] = [form.getByRole('group', { name: 'A' }), form.getByRole('group', { name: 'B' })]
    await a.getByLabel('Agent').selectOption('adviser')
    await b.getByLabel('Agent').selectOption('adviser')
    await b.getByLabel('Model').selectOption('scripted/mini')
    await form.getByLabel('Prompt').fill('Which pot?')
    await form.getByText("mandate run adviser 'Which pot?' --model scripted/mini").waitFor()
    await form.getByRole('button', { name: 'Run both, and spend' }).click()
    await page.waitForURL(/[?&]b=/)
    const ids = [...new URL(page.url()).searchParams.values()]
    for (const id of ids) await expect.poll(async () => (await studio.service.summary(id)).state).toBe('completed')
    const runs = await Promise.all(ids.map((id) => studio.service.summary(id)))
    expect(runs.map(({ name }) => name)).toEqual(['adviser', 'adviser'])
    await page.getByText(/changed 4/).waitFor()
    await page.getByRole('button', { name: 'what changed' }).nth(2).click()
    await page.locator('[data-sign="+"]', { hasText: 'costs $29' }).first().waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('compares a run with its replay, and finds where the code has changed since', async () => {
    let isChanged = false
    const service = new AgentService({
      minds: [
        {
          kind: 'program',
          name: 'steps',
          start: async (_: unknown, steps: { perform(effect: object): Promise<unknown> }) => {
            await steps.perform({ kind: 'sleep', name: 'sleep', input: { ms: 1 }, key: 'first' })
            await steps.perform({ kind: 'sleep', name: 'sleep', input: { ms: isChanged ? 3 : 2 }, key: 'second' })
            return 'done'
          },
        } as never,
      ],
    })
    await kernelOf(service).run({ kind: 'program', name: 'steps', input: null, runId: 'planted' } as never)
    const served = await serveStudio(service)
    const page = await openStudio(studio.context, served, '/compare?a=planted&b=replay')
    await page.getByText('Identical: all 2 effects came out the same').waitFor()
    isChanged = true
    await page.goto(`${served.url}/compare?a=planted&b=replay`)
    await page.getByText('First difference').waitFor()
    expect(await page.getByRole('heading', { name: 'First difference' }).textContent()).toContain('second')
    await page.getByRole('link', { name: /look at entry #/ }).click()
    await page.getByRole('heading', { name: 'steps' }).waitFor()
    await page.close()
    await served.close()
    await service.stop()
  })

  it('says what was spent per day, model, agent and run, as a chart and as a table', async () => {
    const page = await studio.open('/costs')
    await page.getByRole('img', { name: /Money per day/ }).waitFor()
    expect(await page.locator('svg rect').count()).toBeGreaterThan(4)
    await page.getByText('The same as a table').click()
    expect(await page.getByLabel('Per day').locator('tbody tr').count()).toBeGreaterThan(4)
    const models = await page.getByLabel('Per model').locator('tbody tr td:first-child').allTextContents()
    expect(models.toSorted()).toEqual(['scripted/large', 'scripted/mini', 'scripted/small'])
    const row = page.getByLabel('Dearest runs').locator('tbody tr', { hasText: 'demo-long' })
    const { cost } = await studio.service.result('demo-long')
    expect(await row.textContent()).toContain(`~$${cost!.toFixed(4)}`)
    await page.close()
  })

  it('marks cells that are out of date, and evaluates one again in a session of its own', async () => {
    const cells = await studio.service.runs({ sessionId: 'demo-notebook' })
    const page = await studio.open(`/runs/${cells[0]!.run}?tab=notebook`)
    await page
      .getByText(/stale: \[5\] changed/)
      .first()
      .waitFor()
    const cell = page.locator('li', { hasText: 'const dear' })
    await cell.getByRole('button', { name: 'run as fork' }).click()
    await page.waitForURL((url) => !url.pathname.includes(cells[0]!.run))
    await page.getByText('"kettle"').first().waitFor()
    expect(await studio.service.runs({ sessionId: 'demo-notebook' })).toHaveLength(cells.length)
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('says what made each variable of a session, evaluates one more cell in it, and gives all of them as a script', async () => {
    const cells = await studio.service.runs({ sessionId: 'demo-notebook' })
    const page = await studio.open(`/runs/${cells[0]!.run}?tab=notebook`)
    const variables = page.getByRole('note', { name: 'Variables' })
    await expect.poll(() => variables.textContent()).toMatch(/rows \[5\].*dear \[2\].*stale/)
    await page.getByLabel('New cell').fill('rows.length * 100')
    await page.getByLabel('New cell').press('Control+Enter')
    await page.getByText('400', { exact: true }).waitFor()
    expect(await studio.service.runs({ sessionId: 'demo-notebook' })).toHaveLength(cells.length + 1)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('tabpanel').getByRole('link', { name: 'export' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('demo-notebook.js')
    const script = readFileSync(await download.path(), 'utf8')
    expect(script).toMatch(/^\/\/ \[1\]\nlet rows = /)
    expect(script).toMatch(/\/\/ \[6\]\nrows\.length \* 100\n$/)
    expect(page.faults).toEqual([])
    await page.close()
  })
})
