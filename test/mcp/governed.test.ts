import { AgentService } from 'mandate'
import { memoryJournal, readAll } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { expect, it, onTestFinished } from 'vitest'
import { connected } from './bench.ts'

type Calls = readonly (readonly [tool: string, input?: { readonly [name: string]: string }])[]

/** An agent that makes these calls of the fixture's tools, one a turn. */
async function service(
  mode: string,
  calls: Calls,
): Promise<{ service: AgentService; journal: ReturnType<typeof memoryJournal> }> {
  const { tools } = await connected(mode, { risk: { crash: 'read', echo: 'read', pay: 'read', change: 'read' } })
  const journal = memoryJournal()
  const script = [...calls.map(([tool, input = {}]) => ({ toolCalls: [{ name: `fix__${tool}`, input }] })), 'done']
  const host = new AgentService({
    store: { journal },
    agents: [{ id: 'a', model: scripted(script), tools: [...tools], mandate: { grant: ['fix__*'] } }],
  })
  onTestFinished(async () => void (await host.stop()))
  return { service: host, journal }
}

it('a tool of a server needs a grant, like all that reaches out', async () => {
  const { tools } = await connected('honest')
  const model = scripted([{ toolCalls: [{ name: 'fix__echo', input: { text: 'x' } }] }, 'done'])
  const host = new AgentService({ agents: [{ id: 'a', model, tools: [...tools] }] })
  onTestFinished(async () => void (await host.stop()))
  const result = await host.run('a', 'go')
  expect(result.actions).toMatchObject([{ toolId: 'fix__echo', status: 'denied', performed: false }])
  expect(JSON.stringify(result.messages)).toContain('was not granted')
})

it('a server that crashes in a run is an error result, and the run goes on and ends well', async () => {
  const { service: host } = await service('honest', [['crash'], ['echo', { text: 'and on' }]])
  const result = await host.run('a', 'go')
  expect(result.status).toBe('completed')
  expect(result.actions.map(({ status }) => status)).toEqual(['failed', 'ok'])
})

it('definitions are pinned in the journal by their hash, and results carry where they came from', async () => {
  const { service: host, journal } = await service('honest', [['echo', { text: 'hello' }]])
  const result = await host.run('a', 'go')
  const entries = await readAll(journal, result.id)
  const start = JSON.stringify(entries.find(({ type }) => type === 'run-start')!.data)
  expect(start).toMatch(/definition [0-9a-f]{16}; the text is the server's/)
  const end = entries.find(({ type, key }) => type === 'effect-end' && key?.includes('tool') === true)!
  expect(end.data).toMatchObject({ outcome: { labels: expect.arrayContaining(['untrusted:mcp', 'source:mcp:fix']) } })
})

it('a definition that changed after the pin suspends the run until somebody approved that very call', async () => {
  const { service: host } = await service('changing', [['pay'], ['change'], ['pay']])
  const waiting = await host.run('a', 'go')
  expect(waiting.status).toBe('await_user')
  const [request] = await host.approvals(waiting.id)
  expect(request!.name).toBe('fix__pay')
  await host.approve(request!.id)
  const result = await host.resume(waiting.id)
  expect(result.actions.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
})
