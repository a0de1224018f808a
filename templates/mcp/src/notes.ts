import { defineTool } from 'mandate'
import { z } from 'zod'

/** Stands for your database. */
const notes = new Map([
  ['n1', 'The espresso machine is descaled on the first Monday of a month.'],
  ['n2', 'The old kettle leaks.'],
])

export const findNotes = defineTool({
  name: 'find_notes',
  description: 'Finds notes that contain a text.',
  inputSchema: z.object({ text: z.string() }),
  risk: 'read',
  run: ({ text }) =>
    [...notes]
      .filter(([, note]) => note.toLowerCase().includes(text.toLowerCase()))
      .map(([id, note]) => ({ id, note })),
})

export const deleteNote = defineTool({
  name: 'delete_note',
  description: 'Deletes a note.',
  inputSchema: z.object({ id: z.string() }),
  risk: 'destructive',
  run: ({ id }) => (notes.delete(id) ? `deleted ${id}` : `There is no note ${id}.`),
})
