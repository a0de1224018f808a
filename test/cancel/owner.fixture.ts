// A process that drives one run of every kind, each in the middle of something that does not end by itself. Every line of its output names what happened.
import { fileURLToPath } from 'node:url'
import { AgentService, defineTool } from '../../src/agent/public.ts'
import type { Json } from '../../src/core/index.ts'
import { channel, defineGraph, nodes, runGraph } from '../../src/graph/public.ts'
import type { Model } from '../../src/model/index.ts'
import { scripted } from '../../src/model/public.ts'
import { ReplSession } from '../../src/repl/public.ts'
import { runProgram, script } from '../../src/vm/public.ts'
import { connectMcp } from '../../src/connect/mcp/index.ts'
import { openPlace } from '../contracts/answer-race-place.ts'
import type { Place } from '../contracts/answer-race-place.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Resolves never, and says when it was cut. */
function cutOnly(name: string, signal: AbortSignal): Promise<never> {
  say(`waiting ${name}`)
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      say(`cut ${name}`)
      reject(new Error('cut'))
    })
  })
}

const waitingModel = (name: string): Model => ({
  id: 'test/hanging',
  provider: 'test',
  modelId: 'hanging',
  async *stream(_request, { signal }) {
    yield { type: 'text-delta', text: 'So far' }
    await cutOnly(name, signal)
  },
})

const hang = (name: string) =>
  defineTool({ name: `hang-${name}`, risk: 'read', timeoutMs: 120_000, run: (_, { signal }) => cutOnly(name, signal) })

const calling = (name: string) => scripted([{ toolCalls: [{ name, input: {} }] }, 'Done.'])

async function main(place: Place, notes: string): Promise<void> {
  const server = fileURLToPath(new URL('../mcp/stdio-server.fixture.ts', import.meta.url))
  const mcp = await connectMcp({ command: process.execPath, args: [server, 'honest', notes] }, { name: 'fix' })
  const service = new AgentService({
    store: { journal: openPlace(place) },
    limits: { cancelGraceMs: 5_000 },
    agents: [
      { id: 'model', model: waitingModel('model') },
      { id: 'tool', model: calling('hang-tool'), tools: [hang('tool')] },
      { id: 'child', model: calling('below'), agents: ['below'] },
      { id: 'below', model: calling('hang-child'), tools: [hang('child')] },
      { id: 'brief', model: scripted(Array(12).fill('Brief.')) },
      { id: 'mcp', model: calling('fix__slow'), tools: mcp.tools, mandate: { grant: ['fix__slow'] } },
    ],
  })
  // The run that outlives this process has a short lease.
  const crashing = new AgentService({
    journal: service.journal,
    limits: { leaseMs: 1_000 },
    agents: [{ id: 'brief', model: waitingModel('last') }],
  })
  const endless = 'let n = 0; while (true) { n = n + 1 }'
  const cells = await ReplSession.open(service, {
    sessionId: 'cells',
    policy: { timeoutMs: 120_000, maxOperations: 0 },
  })
  const graph = defineGraph({ name: 'node', state: { out: channel.last<Json>() } })
    .node('wait', nodes.tool(hang('node'), { writes: 'out' }))
    .start('wait')
  for (const id of ['model', 'tool', 'child', 'mcp']) service.run(id, 'Go.', { runId: id }).then(ended(id), ended(id))
  const ample = { fuel: 1e9, limits: { wallMs: 120_000 } }
  runProgram(service, script(endless), {}, { name: 'program', runId: 'program', ...ample }).then(
    ended('program'),
    ended('program'),
  )
  cells.evalCell(endless).then(ended('cell'), ended('cell'))
  runGraph(service, graph, {}, { runId: 'node' }).outcome.then(ended('node'), ended('node'))
  crashing.run('brief', 'Go.', { runId: 'last' }).then(ended('last'), ended('last'))
  process.on('message', (message) => {
    if (message === 'crash') process.kill(process.pid, 'SIGKILL')
    else service.run('brief', 'Go.', { runId: String(message) }).then(ended('brief'), ended('brief'))
  })
}

const ended = (name: string) => (value: unknown) => say(`ended ${name} ${JSON.stringify(value)}`)

if (process.argv[1]?.endsWith('owner.fixture.ts') === true)
  await main(JSON.parse(process.argv[2]!) as Place, process.argv[3]!)
