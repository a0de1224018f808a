import { AgentService, defineTool } from 'mandate'
import { runProgram, script } from 'mandate/vm'
import type { Engine, Question } from './engine.ts'

/** A script under the kernel: every tool call passes the gate and is journaled before and after it is performed. */
export const engine: Engine = {
  label: 'mandate, gate and journal',
  create: (world) => {
    const service = new AgentService()
    const ask = defineTool({
      name: 'ask',
      description: 'Asks the world.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, body: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
      risk: 'read',
      idempotent: true,
      run: (question: unknown) => world.ask(question as Question),
    })
    return {
      run: async (source) => {
        const outcome = await runProgram(service, script(source), {}, { fuel: 10_000_000, tools: [ask] })
        if (outcome.state !== 'completed') throw new Error(JSON.stringify(outcome))
        return (outcome.output as { readonly result: unknown }).result
      },
      end: () => void service.stop(),
    }
  },
}
