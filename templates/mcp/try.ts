// A client that calls each tool of the server, and approves what is asked.
import { withServer } from './src/client.ts'

await withServer('approve', async (call, asked) => {
  console.log('find_notes ', await call('find_notes', { text: 'kettle' }))
  console.log('delete_note', await call('delete_note', { id: 'n2' }))
  console.log('librarian  ', await call('librarian', { prompt: 'When is the espresso machine descaled?' }))
  for (const text of asked) console.log(`\nasked: ${text}`)
})
