// A supervisor with two members: it delegates to both at once, one of them needs an approval, and all of it is one run with one budget.
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { supervisorTeam } from 'mandate/team'

const published: string[] = []
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  risk: 'destructive',
  run: ({ text }: { text: string }) => published.push(text),
})

const researcher = {
  id: 'researcher',
  description: 'Finds facts.',
  model: scripted(['Snow reflects up to 90 percent of the light.'], { name: 'researcher' }),
}
const press = {
  id: 'press',
  description: 'Writes and publishes.',
  tools: [publish],
  model: scripted([{ toolCalls: [{ name: 'publish', input: { text: 'Snow tomorrow.' } }] }, 'It is out.'], {
    name: 'press',
  }),
}
const service = new AgentService({
  agents: supervisorTeam({
    id: 'desk',
    members: [researcher, press],
    budget: { modelCalls: 10 },
    model: scripted(
      [
        {
          toolCalls: [
            { name: 'researcher', input: { prompt: 'Why is snow bright?' } },
            { name: 'press', input: { prompt: 'Announce snow for tomorrow.' } },
          ],
        },
        'Snow was announced. It is bright because it reflects up to 90 percent of the light.',
      ],
      { name: 'desk' },
    ),
  }),
})

const waiting = await service.run('desk', 'Announce snow, and tell me why it is bright.')
console.log(waiting.status, 'for', waiting.pending.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join())

for (const { id } of await service.approvals(waiting.id)) await service.approve(id)
const { text, usage } = await service.resume(waiting.id)
console.log(text)
console.log('published:', published, 'tokens of the whole team:', usage.totalTokens)
for (const { name, state, parent } of await service.runs())
  console.log(name, state, parent === undefined ? '' : '(member)')
await service.stop()
