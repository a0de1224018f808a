import { defineService } from 'mandate'
import { model } from './src/model.ts'
import { readTable } from './src/table.ts'

export default defineService({
  agents: [
    {
      id: 'analyst',
      description: 'Answers questions about tables.',
      instructions:
        'Answer questions about the tables: sales. Compute, do not guess. Say which numbers the answer rests on.',
      mode: 'code',
      model,
      tools: [readTable],
      maxTurns: 12,
      mandate: { allow: ['read_table'], budget: { toolCalls: 20 } },
    },
  ],
})
