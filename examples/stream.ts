// Text as it is written, events as they happen; put together, the text is the result's.
import { Agent } from 'mandate'
import { scripted } from 'mandate/model'

const agent = new Agent({ id: 'poet', model: scripted([{ text: 'Roses are red, journals are long.', chunks: 5 }]) })

const run = agent.run('A line, please.', { onStepStart: ({ turn }) => console.log(`turn ${turn}`) })
let text = ''
for await (const delta of run.textStream) {
  text += delta
  process.stdout.write(`[${delta}]`)
}
const result = await run
console.log(`\n${result.status}, the same text: ${text === result.text}`)
await agent.stop()
