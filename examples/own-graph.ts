// A model that writes its own graph: it names a tool that is not there, is told so, mends it, waits for the review of a person, and runs it.
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'

const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  risk: 'write',
  run: ({ text }: { text?: string }) => `published: ${text}`,
})

const cell = (code: string): string => `\`\`\`js\n${code}\n\`\`\``
const graph = (tool: string): string =>
  `graph release { start out state { text string } node out { kind tool tool "${tool}" next END } }`

const service = new AgentService({
  tools: [publish],
  agents: [
    {
      id: 'author',
      mode: 'code',
      tools: [publish],
      model: scripted([
        cell(`await graph_define({ name: 'release', source: ${JSON.stringify(graph('publsh'))} })
print(await graph_validate('release'))`),
        cell(`await graph_define({ name: 'release', source: ${JSON.stringify(graph('publish'))} })
await graph_compile('release')
print(await graph_register({ graph: 'release', reason: 'publishes the notes' }))`),
        cell(`const { out } = await graph_run({ graph: 'release', input: { text: 'Version 2 is out.' } })
answer('done')`),
      ]),
    },
  ],
})

const waiting = await service.run('author', 'Publish the notes, by a graph of your own.')
const [review] = waiting.pending
console.log(waiting.status, '-', review?.name, review?.text)
await service.approve(review!.approvalId!)
const { status, result, messages } = await service.resume(waiting.id)
console.log(status, result)
console.log(messages.filter(({ role }) => role === 'user').length, 'observations told to the model')
await service.stop()
