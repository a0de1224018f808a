import { appendFileSync } from 'node:fs'
import { Atlas, agent, tool } from 'mandate/chat'
import { scripted } from 'mandate/model'
import { openStore } from 'mandate/sqlite'

// A process that sends one message and is killed while a tool of the second step runs: `node killed.fixture.ts <dir> <log>`.
const [dir, log] = process.argv.slice(2) as [string, string]

const parameters = { type: 'object', properties: { step: { type: 'string' } } }

const store = await openStore({ dir })
const work = tool<{ step: string }>({ name: 'work', parameters, risk: 'read', idempotent: true }, async ({ step }) => {
  appendFileSync(log, `${step}\n`)
  if (step === 'two') await new Promise(() => setInterval(() => {}, 1_000))
  return `${step} is done`
})
const model = scripted([
  { text: 'First.', toolCalls: [{ name: 'work', input: { step: 'one' } }] },
  { text: 'Then.', toolCalls: [{ name: 'work', input: { step: 'two' } }] },
  'Never said here.',
])
const atlas = new Atlas({ agents: [agent({ id: 'worker', model, tools: [work] })], store, conversationId: 'c1' })
for await (const text of atlas.send('Work.')) process.stdout.write(text)
