import { defineTool } from 'mandate'

/** What was published; stands for your newsletter. */
export const published: string[] = []

export const publish = defineTool({
  name: 'publish',
  description: 'Publishes a note.',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  risk: 'write',
  run: ({ note }: { note: string }) => {
    published.push(note)
    return `published: ${note}`
  },
})
