// A script that a model could have written, under the kernel: each call of a tool passes the gate; the one that needs a person waits
// for one, inside a Promise.all, and the script goes on where it was. Nothing that was done is done again.
import { AgentService, defineTool } from 'mandate'
import { inspect, registerProgram, runProgram, script } from 'mandate/vm'

const sent: string[] = []
const service = new AgentService({
  tools: [
    defineTool({
      name: 'search',
      risk: 'read',
      idempotent: true,
      inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
      run: ({ q }: { q: string }) => [`${q} one`, `${q} two`],
    }),
    defineTool({
      name: 'send',
      risk: 'write',
      needsApproval: true,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }: { text: string }) => void sent.push(text),
    }),
  ],
})

const source = `
  const topics = ['tea', 'coffee']
  const found = await Promise.all(topics.map((q) => tools.search({ q })))
  const [, count] = await Promise.all([
    tools.send({ text: found.flat().join(', ') }),
    tools.search({ q: 'count' }).then((list) => list.length),
  ])
  return { found: found.flat().length, count }
`

console.log('it can reach:', inspect(script(source)).tools)
const outcome = await runProgram(service, source, {}, { name: 'digest', runId: 'digest-1', fuel: 1_000 })
console.log(outcome.state, outcome.state === 'suspended' ? outcome.reason : '')
const [approval] = await service.approvals()
console.log('waiting:', approval?.name, approval?.input, 'sent so far:', sent)
await registerProgram(service, source, { name: 'digest', fuel: 1_000 })
await service.approve(approval!.id)
const ended = await service.resume('digest-1')
console.log(ended.status, ended.result)
console.log('sent:', sent)
await service.stop()
