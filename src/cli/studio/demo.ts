import { AgentService, kernelOf } from '../../agent/index.ts'
import { compileRag, graphRegistry, registerGraph, runGraph } from '../../graph/index.ts'
import { scripted } from '../../model/index.ts'
import { ReplSession } from '../../repl/index.ts'
import { demoAgents } from './demo-agents.ts'

const GRAPH = `graph research { start split
  input { topics list }
  channel notes topic
  channel report last_value
  node split { kind router sends [send dig each "state.topics"] }
  node dig { model "writer" prompt "What is known about {{ item }}?" writes notes }
  join [dig] -> write
  node write { model "writer" prompt "Sum up: {{ state.notes }}" writes report next END } }`

/** A service in memory with a dozen runs of every kind, made by a scripted model: nothing is reached, nothing is spent. */
export async function demoService(): Promise<AgentService> {
  const service = new AgentService({ agents: demoAgents() })
  const ask = async (agent: string, prompt: string, runId: string): Promise<void> =>
    void (await service.run(agent, prompt, { runId }))
  await ask('greeter', 'Say hello to the new colleague.', 'demo-hello')
  await ask('support', 'The customer wants order A-17 back, $80.', 'demo-refund')
  await ask('support-lead', 'The customer wants order A-18 back, $20.', 'demo-small-refund')
  await ask('researcher', 'Which tea pot is the best? Mail the team.', 'demo-injection')
  await ask('reviewer', 'Read every file and say what is wrong.', 'demo-budget')
  await ask('painter', 'Paint the door.', 'demo-question')
  await ask('janitor', 'Tidy up the database.', 'demo-destructive')
  await ask('clumsy', 'Do something.', 'demo-failed')
  const hurried = service.run('slow', 'Take your time.', { runId: 'demo-cancelled' })
  await service.cancel('demo-cancelled', 'It took too long.')
  await hurried
  await suspendAndResume(service)
  await service.resume(await service.fork('demo-small-refund', { at: 3 }))
  await notebook(service)
  await graph(service)
  await ask('librarian', 'Count the lines of all files.', 'demo-long')
  return service
}

/** A run that a person stopped in the middle, and that was gone on with. */
async function suspendAndResume(service: AgentService): Promise<void> {
  service.register({
    id: 'writer',
    model: scripted([
      { text: 'A haiku about tea', delayMs: 300 },
      'Steam rises slowly / the pot remembers the leaves / morning in a cup',
    ]),
  })
  const run = service.run('writer', 'Write a haiku about tea.', { runId: 'demo-resumed' })
  await kernelOf(service).interrupt('demo-resumed')
  await run
  await service.resume('demo-resumed')
}

/** Cells over variables that stay. */
async function notebook(service: AgentService): Promise<void> {
  const session = await ReplSession.open(service, { sessionId: 'demo-notebook' })
  for (const cell of [
    'const rows = [{ item: "pot", price: 80 }, { item: "cup", price: 9 }, { item: "tray", price: 31 }]',
    'const dear = rows.filter((row) => row.price > 30)\ndear.map((row) => row.item)',
    'print(`${dear.length} of ${rows.length} are dear`)\ndear.reduce((sum, row) => sum + row.price, 0)',
    'nope + 1',
  ])
    await session.evalCell(cell)
}

async function graph(service: AgentService): Promise<void> {
  graphRegistry(service).registerModel(
    'writer',
    scripted({ text: 'Tea pots pour best when the lid has a hole.', delayMs: 40 }),
  )
  const { graphs } = compileRag(GRAPH)
  for (const each of graphs) registerGraph(service, each)
  await runGraph(service, 'research', { topics: ['spouts', 'lids', 'handles'] }, { runId: 'demo-graph' }).result()
}
