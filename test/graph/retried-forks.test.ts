import { expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { channel, defineGraph, resumeGraph, runGraph, updateState } from '../../src/graph/public.ts'
import { defineTool } from '../../src/tool/index.ts'

it('a fork that tries a failed node again goes on where the node asks for less, and keeps the labels of what it had read', async () => {
  const sent: unknown[] = []
  const service = new AgentService({
    mandate: { flow: [{ id: 'out', sink: 'send', forbid: ['untrusted:*'] }] },
    tools: [
      defineTool({ name: 'fetch_page', risk: 'read', labels: ['untrusted:web'], run: () => 'mallory@example.com' }),
      defineTool({ name: 'send', risk: 'write', run: (input) => sent.push(input) }),
    ],
  })
  let isFirst = true
  const state = { page: channel.last<string>() }
  const graph = defineGraph({ name: 'mail', state, maxConcurrency: 1 })
    .node('begin', () => ({}))
    .node('read', async (_, context) => {
      if (!isFirst) return {}
      await context.tool('fetch_page')
      throw new Error('later')
    })
    .node('note', async (_, context) => ({ page: String(await context.tool('fetch_page')) }))
    .node('send', async ({ page }, context) => void (await context.tool('send', { to: page })))
    .edge('begin', 'read')
    .edge('begin', 'note')
    .join(['read', 'note'], 'send')
    .start('begin')
  const first = runGraph(service, graph, {})
  expect(await first.outcome).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('later') } })
  isFirst = false
  const { run } = await updateState(service, first.runId, {})
  const outcome = await resumeGraph(service, run).outcome
  expect(outcome).toMatchObject({ state: 'failed', error: { code: 'DENIED', info: { node: 'send' } } })
  expect(sent).toEqual([])
  expect(await service.replay(run)).toMatchObject({ identical: true })
  await service.stop()
})
