import { AgentService, defineTool } from 'mandate'
import { graphRegistry } from 'mandate/graph'
import { scripted } from 'mandate/model'

/** What was published: the outside world of this example. */
export const published: string[] = []

const question = { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] }

const tools = [
  defineTool({
    name: 'find_angles',
    inputSchema: question,
    risk: 'read',
    run: () => ['cost', 'weather', 'maintenance'],
  }),
  defineTool({
    name: 'find_figures',
    inputSchema: question,
    risk: 'read',
    run: () => ({ panels: 12, kilowattHours: 4_300 }),
  }),
  defineTool({
    name: 'publish_report',
    inputSchema: { type: 'object', properties: { report: { type: 'string' } }, required: ['report'] },
    risk: 'write',
    run: ({ report }: { report: string }) => {
      published.push(report)
      return `published as report ${published.length}`
    },
  }),
]

/** A service with the names that the graph uses. The model answers by what it is asked, so that the order of parallel calls does not matter. */
export function host(): AgentService {
  const service = new AgentService({ tools })
  const names = graphRegistry(service)
  const writer = scripted(({ messages }) => {
    const asked = JSON.stringify(messages.at(-1))
    const [, angle] = /What is known about (\w+)/.exec(asked) ?? []
    return angle === undefined ? 'Solar panels pay off after nine years.' : `As to ${angle}: it is fine.`
  })
  names.registerModel('scripted-writer', writer)
  names.alias('model', 'writer', 'scripted-writer')
  return service
}
