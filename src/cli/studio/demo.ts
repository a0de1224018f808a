import { AgentService } from '../../agent/index.ts'
import { compileRag, graphRegistry, registerGraph, runGraph } from '../../graph/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Entry, Journal } from '../../journal/index.ts'
import { inMemoryPrompts } from '../../memory/index.ts'
import type { PromptStore } from '../../memory/index.ts'
import { scripted } from '../../model/index.ts'
import { ReplSession } from '../../repl/index.ts'
import { demoAgents } from './demo-agents.ts'
import { DemoClock } from './demo-clock.ts'
import { demoEvals } from './demo-evals.ts'
import { DEMO_PRICES } from './demo-models.ts'

const GRAPH = `graph research { start split
  input { topics list }
  channel notes topic
  channel report last_value
  node split { kind router sends [send dig each "state.topics"] }
  node dig { model "writer" prompt "What is known about {{ item }}?" writes notes }
  join [dig] -> write
  node write { model "writer" prompt "Sum up: {{ state.notes }}" writes report next END } }`

/** The objects that the demo runs are created with. */
interface Stage {
  readonly service: AgentService
  readonly journal: Journal
  readonly clock: DemoClock
  /** Runs an agent once, as if it were the given number of hours ago. */
  readonly ask: (hours: number, agent: string, prompt: string, runId: string) => Promise<void>
}

/** Creates a service in memory with runs of every kind over the last days. The models are scripted: no network is used and nothing is spent. */
export async function demoService(): Promise<AgentService> {
  const stage = await newStage()
  const { service, clock, ask } = stage
  await demoEvals(service)
  await ask(122, 'greeter', 'Say hello to the new colleague.', 'demo-hello')
  await ask(121, 'support-lead', 'The customer wants order A-18 back, $20.', 'demo-small-refund')
  await ask(98, 'reviewer', 'Read every file and say what is wrong.', 'demo-budget')
  await ask(97, 'clumsy', 'Do something.', 'demo-failed')
  clock.be({ hours: 74 })
  await notebook(service)
  await graph(service)
  await ask(50, 'librarian', 'Count the lines of all files.', 'demo-long')
  await ask(49, 'adviser', 'Which tea pot is the best, and how do I use it?', 'demo-large-model')
  await ask(49, 'adviser-small', 'Which tea pot is the best, and how do I use it?', 'demo-small-model')
  await ask(26, 'researcher', 'Which tea pot is the best? Mail the team.', 'demo-injection')
  clock.be({ hours: 25 })
  const hurried = service.run('slow', 'Take your time.', { runId: 'demo-cancelled' })
  await service.cancel('demo-cancelled', 'It took too long.')
  await hurried
  await secondGreeting(stage)
  clock.be({ hours: 5 })
  await crash(stage, { agent: 'writer', prompt: 'Write a haiku about tea.', runId: 'demo-crash', after: isModelStart })
  await service.resume('demo-crash')
  await service.resume(await service.fork('demo-small-refund', { at: 3, runId: 'demo-fork' }))
  await ask(3, 'desk', 'How many orders does ana have? Announce that A-17 ships.', 'demo-team')
  await ask(2, 'newsdesk', 'Post the news of today.', 'demo-news')
  await ask(1.5, 'painter', 'Paint the door.', 'demo-question')
  await ask(1, 'janitor', 'Tidy up the database.', 'demo-destructive')
  clock.be({ hours: 0.5 })
  await crash(stage, { agent: 'cashier', prompt: 'Charge ben $129.', runId: 'demo-doubt', after: isToolStart })
  await service.resume('demo-doubt')
  await ask(0.2, 'support', 'The customer wants order A-17 back, $80.', 'demo-refund')
  clock.be({ hours: 0 })
  return service
}

async function newStage(): Promise<Stage> {
  const journal = memoryJournal()
  const clock = new DemoClock()
  clock.be({ hours: 123 })
  const service = newService(journal, clock, await prompts())
  return {
    service,
    journal,
    clock,
    async ask(hours, agent, prompt, runId) {
      clock.be({ hours })
      await service.run(agent, prompt, { runId })
    },
  }
}

function newService(journal: Journal, clock: DemoClock, promptStore: PromptStore): AgentService {
  return new AgentService({ agents: demoAgents(), journal, clock, prices: DEMO_PRICES, promptStore })
}

/** Creates a prompt store with one prompt, with its first version in production. */
async function prompts(): Promise<PromptStore> {
  const store = inMemoryPrompts()
  const put = (text: string, author: string): Promise<unknown> =>
    store.put({ id: 'greeting', name: 'Greeting', text, requiredVars: ['company'] }, { author })
  await put('You greet people at {{ company }}.\nBe short.', 'ana')
  await store.label?.('greeting', 'production', '1')
  return store
}

/** Adds a later version of the prompt, and a run that used it. */
async function secondGreeting({ service, ask }: Stage): Promise<void> {
  await service.putPrompt({
    id: 'greeting',
    name: 'Greeting',
    text: 'You greet people at {{ company }}.\nBe short and warm.\nSay where the kettle is.',
    requiredVars: ['company'],
  })
  await ask(24, 'greeter', 'Say hello to the visitors.', 'demo-hello-again')
}

const isModelStart = ({ type, key = '' }: Entry): boolean => type === 'effect-start' && key.endsWith('model')
const isToolStart = ({ type, key = '' }: Entry): boolean => type === 'effect-start' && key.includes('/tool')

interface Crash {
  readonly agent: string
  readonly prompt: string
  readonly runId: string
  /** Selects the last entry that the process wrote. */
  readonly after: (entry: Entry) => boolean
}

/** Creates a run whose process died in the middle of an effect: its journal stops there, without an entry that it was suspended. */
async function crash({ journal, clock }: Stage, { agent, prompt, runId, after }: Crash): Promise<void> {
  const lost = memoryJournal()
  const service = newService(lost, clock, inMemoryPrompts())
  await service.run(agent, prompt, { runId })
  const entries = await readAll(lost, runId)
  await service.stop()
  const lease = await journal.acquire({ run: runId, owner: 'a process that is gone', ttlMs: 0, now: clock.now() })
  await journal.append(lease, 0, entries.slice(0, entries.findIndex(after) + 1))
  await journal.release(lease)
}

/** Creates cells over session variables. The last cell changes a variable that earlier cells were computed from. */
async function notebook(service: AgentService): Promise<void> {
  const session = await ReplSession.open(service, { sessionId: 'demo-notebook' })
  for (const cell of [
    'let rows = [{ item: "pot", price: 80 }, { item: "cup", price: 9 }, { item: "tray", price: 31 }]',
    'const dear = rows.filter((row) => row.price > 30)\ndear.map((row) => row.item)',
    'print(`${dear.length} of ${rows.length} are dear`)\ndear.reduce((sum, row) => sum + row.price, 0)',
    'nope + 1',
    'rows = [...rows, { item: "kettle", price: 64 }]\nrows.length',
  ])
    await session.evalCell(cell)
}

async function graph(service: AgentService): Promise<void> {
  graphRegistry(service).registerModel(
    'writer',
    scripted({ text: 'Tea pots pour best when the lid has a hole.', delayMs: 40 }, { name: 'small' }),
  )
  const { graphs } = compileRag(GRAPH)
  for (const each of graphs) registerGraph(service, each)
  const topics = ['spouts', 'lids', 'handles', 'glazes']
  await runGraph(service, 'research', { topics }, { runId: 'demo-graph' }).result()
}
