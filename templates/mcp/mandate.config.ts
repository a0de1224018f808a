import { defineService } from 'mandate'
import { model } from './src/model.ts'
import { deleteNote, findNotes } from './src/notes.ts'

export default defineService({
  tools: [findNotes, deleteNote],
  agents: [
    {
      id: 'librarian',
      description: 'Answers questions about the notes.',
      instructions: 'Answer from the notes alone.',
      model,
      tools: [findNotes],
    },
  ],
  mandate: {
    allow: ['find_notes', 'delete_note', 'agent:librarian'],
    rules: [{ id: 'deletions', when: 'tool == "delete_note"', then: 'ask' }],
    budget: { toolCalls: 20 },
  },
})
