import { load } from '../../peers/load.ts'
import type { Engine, Question } from './engine.ts'

interface CodeMode {
  readonly experimental_runCodeMode: (given: object) => Promise<unknown>
}
interface Ai {
  readonly tool: (given: object) => unknown
  readonly jsonSchema: (schema: object) => unknown
}

const { experimental_runCodeMode: runCodeMode } = await load<CodeMode>('@ai-sdk/code-mode')
const { tool, jsonSchema } = await load<Ai>('ai')

export const engine: Engine = {
  label: '@ai-sdk/code-mode',
  create: (world) => {
    const ask = tool({
      description: 'Asks the world.',
      inputSchema: jsonSchema({
        type: 'object',
        properties: { name: { type: 'string' }, body: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      }),
      execute: (question: Question) => world.ask(question),
    })
    return { run: (source) => runCodeMode({ js: `return await ${source}`, tools: { ask } }), end: () => {} }
  },
}
