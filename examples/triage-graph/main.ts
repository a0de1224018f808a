// Support tickets: a graph sorts them, and a graph for each sort answers. Money is paid back only after a person has approved the call.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import { compileRag, graphRegistry, registerGraph, renderDiagnostics, resumeGraph, runGraph } from 'mandate/graph'
import { scripted } from 'mandate/model'

const findCharge = defineTool({
  name: 'find_charge',
  inputSchema: { type: 'object', properties: { ticket: { type: 'string' } }, required: ['ticket'] },
  risk: 'read',
  run: ({ ticket }: { ticket: string }) => ({ order: 'A-17', euros: 20, isMistake: ticket.includes('twice') }),
})
const refund = defineTool({
  name: 'refund',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string' }, euros: { type: 'number' } },
    required: ['order', 'euros'],
  },
  risk: 'write',
  needsApproval: true,
  run: ({ order, euros }: { order: string; euros: number }) => `refunded ${euros} euros for ${order}`,
})

const service = new AgentService({
  tools: [findCharge, refund],
  agents: [{ id: 'engineer', model: scripted(['Turn it off and on again.', 'Please tell us your version.']) }],
})
const names = graphRegistry(service)
const sorter = scripted(({ messages }) => (/charged|invoice/.test(JSON.stringify(messages)) ? 'billing' : 'technical'))
names.registerModel('sorter', sorter)
names.registerModel('clerk', scripted(['You have your 20 euros back.']))

const source = readFileSync(join(import.meta.dirname, 'triage.rag'), 'utf8')
const { graphs, diagnostics } = compileRag(source, { label: 'triage.rag', catalog: names })
if (graphs.length === 0) throw new Error(renderDiagnostics(source, diagnostics))
for (const graph of graphs) registerGraph(service, graph)

const technical = await runGraph(service, 'triage', { ticket: 'The app does not start.' }).result()
console.log(technical)

const billing = runGraph(service, 'triage', { ticket: 'I was charged twice.' })
const { state } = await billing.outcome
const [call] = await service.approvals()
console.log(state, call?.name, call?.input)
await service.approve(call!.id)
const paid = await resumeGraph(service, billing.runId).result()
console.log(paid)
if (!JSON.stringify(paid).includes('20 euros back')) throw new Error('The customer was not answered.')
await service.stop()
