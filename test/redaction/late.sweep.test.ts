import { expect, test, vi } from 'vitest'
import type * as agents from '../../src/agent/index.ts'
import type { AgentResult, AgentService, ServiceOptions } from '../../src/agent/index.ts'
import type { MandateEvent } from '../../src/journal/index.ts'
import type * as journals from '../../src/journal/index.ts'
import type * as memories from '../../src/memory/index.ts'
import type * as models from '../../src/model/index.ts'
import type * as tools from '../../src/tool/index.ts'
import type { ToolContext } from '../../src/tool/index.ts'
import { FORMATTED as KEY } from './planted.ts'

type Modules = typeof agents &
  Pick<typeof models, 'scripted'> &
  Pick<typeof memories, 'inMemory'> &
  Pick<typeof journals, 'memoryJournal'> &
  Pick<typeof tools, 'defineTool'>

/** A process in which nothing that finds secrets has been loaded. */
async function freshModules(): Promise<Modules> {
  vi.resetModules()
  const agent = await import('../../src/agent/index.ts')
  const { scripted } = await import('../../src/model/index.ts')
  const { inMemory } = await import('../../src/memory/index.ts')
  const { memoryJournal } = await import('../../src/journal/index.ts')
  const { defineTool } = await import('../../src/tool/index.ts')
  return { ...agent, scripted, inMemory, memoryJournal, defineTool }
}

type Agents = NonNullable<ServiceOptions['agents']>
type Reply = models.ScriptedStep

interface Place {
  readonly replies?: readonly Reply[]
  readonly act?: (input: unknown, context: ToolContext) => unknown
  readonly more?: (modules: Modules) => Partial<ServiceOptions> & { readonly main?: Partial<Agents[number]> }
  readonly run?: (service: AgentService) => Promise<AgentResult>
}

const CALL: Reply = { toolCalls: [{ name: 'act', input: {} }] }
const ASKING = { rules: [{ id: 'ask', when: { tool: 'act' }, then: 'ask' as const }] }
const go = (service: AgentService, prompt = 'Go.'): Promise<AgentResult> => service.run('main', prompt, { runId: 'r' })

async function answered(service: AgentService, answer: (id: string) => Promise<unknown>): Promise<AgentResult> {
  await go(service)
  const [request] = await service.approvals()
  await answer(request!.id)
  return service.resume('r')
}

const PLACES: Readonly<Record<string, Place>> = {
  'the prompt': { run: (service) => go(service, `Use ${KEY}`) },
  'the system prompt': { more: () => ({ main: { instructions: `Never say ${KEY}` } }) },
  'what the model says': { replies: [`I have ${KEY}`] },
  'what the model thinks': { replies: [{ reasoning: `It is ${KEY}`, text: 'Done.' }] },
  'what the model calls a tool with': { replies: [{ toolCalls: [{ name: 'act', input: { to: KEY } }] }, 'Done.'] },
  'arguments that are no JSON': { replies: [{ toolCalls: [{ name: 'act', rawInput: `{"to": ${KEY}` }] }, 'Done.'] },
  'the name of a tool that is none': { replies: [{ toolCalls: [{ name: KEY.slice(0, 60), input: {} }] }, 'Done.'] },
  'what a model fails with': { replies: [{ error: `401 for ${KEY}`, retriable: false }] },
  'what a tool gives': { replies: [CALL, 'Done.'], act: () => ({ [KEY]: KEY }) },
  'what a tool fails with': {
    replies: [CALL, 'Done.'],
    act() {
      throw new Error(`401 for ${KEY}`)
    },
  },
  'what a tool says on its way': {
    replies: [CALL, 'Done.'],
    async *act() {
      yield `with ${KEY}`
      return null
    },
  },
  'what a tool keeps in memory': {
    replies: [CALL, 'Done.'],
    async act(_, { memory }) {
      await memory!.append('notes', { said: KEY })
      return memory!.read('notes')
    },
    more: ({ inMemory }) => ({ main: { memoryClient: inMemory() } }),
  },
  'why something is denied': {
    replies: [CALL, 'Done.'],
    more: () => ({
      mandate: { rules: [{ id: 'no', when: { tool: 'act' }, then: 'deny', reason: `Not with ${KEY}` }] },
    }),
  },
  'what an approver changes': {
    replies: [CALL, 'Done.'],
    more: () => ({ mandate: ASKING }),
    run: (service) => answered(service, (id) => service.approve(id, { edit: { to: KEY } })),
  },
  'why an approver refuses': {
    replies: [CALL, 'Done.'],
    more: () => ({ mandate: ASKING }),
    run: (service) => answered(service, (id) => service.reject(id, `Not with ${KEY}`)),
  },
  'what somebody says meanwhile': {
    replies: [CALL, 'Done.'],
    more: () => ({ mandate: ASKING }),
    run: (service) =>
      answered(service, async (id) => {
        await service.steer('r', { role: 'user', content: [{ type: 'text', text: `Use ${KEY}` }] })
        await service.approve(id)
      }),
  },
  'why it is cancelled': {
    replies: [CALL, 'Done.'],
    more: () => ({ mandate: ASKING }),
    async run(service) {
      await go(service)
      await service.cancel('r', `Because of ${KEY}`)
      return service.resume('r')
    },
  },
  'what another agent is asked, and says': {
    replies: [{ toolCalls: [{ name: 'other', input: { prompt: `Use ${KEY}` } }] }, 'Done.'],
    more: ({ scripted }) => ({
      main: { agents: ['other'] },
      agents: [{ id: 'other', model: scripted([`I used ${KEY}`]) }],
    }),
  },
  'what a planner decides': {
    more: () => ({
      main: {
        planner: { plan: () => ({ type: 'finish', message: KEY }) },
      },
    }),
  },
}

test.each(Object.entries(PLACES))(
  'a secret in %s alone, the first that a process meets, is hidden',
  async (_, place) => {
    const modules = await freshModules()
    const {
      replies = ['Done.'],
      act = () => null,
      more = (): ReturnType<NonNullable<Place['more']>> => ({}),
      run = (one: AgentService) => go(one),
    } = place
    const { main, agents: others = [], ...options } = more(modules)
    const tool = modules.defineTool({ name: 'act', risk: 'read', takesTokens: true, description: 'Acts.', run: act })
    const agent = { id: 'main', model: modules.scripted([...replies]), tools: [tool], ...main }
    const journal = modules.memoryJournal()
    const service = new modules.AgentService({ journal, agents: [agent, ...others], ...options })
    const events: MandateEvent[] = []
    service.events.on('*', (event) => void events.push(event))
    const result = await run(service)
    const lines: unknown[] = []
    for await (const line of service.export('r')) lines.push(line)
    const seen = JSON.stringify([result, { ...result }, events, lines, await service.messages('r')])
    await service.stop()
    expect(seen).not.toContain(KEY.slice(0, 24))
    expect(seen).not.toContain(KEY.slice(-24))
    expect(seen).not.toContain('"INTERNAL"')
    expect(seen).toContain('[secret:')
  },
)
