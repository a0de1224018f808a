// A question about a text that fits into no prompt. The model sees its length, writes code that divides it, and asks itself about each part.
import { Agent } from 'mandate'
import { scripted, textOf } from 'mandate/model'
import { codeMode } from 'mandate/repl'

const chapters = Array.from(
  { length: 12 },
  (_, n) => `# Chapter ${n + 1}\n${'It rained. '.repeat(3000)}${n % 5 === 2 ? 'A ship came in.' : ''}`,
)
const book = chapters.join('\n\n')

const cell = (code: string): string => `\`\`\`js\n${code}\n\`\`\``

// With a real model: model: 'openai/gpt-5'
const model = scripted(({ messages }) =>
  textOf(messages.find(({ role }) => role === 'user')!).startsWith('In which')
    ? cell(`const parts = context.split(/(?=^# Chapter)/m)
const answers = await rlm_query_batched(parts.map((part) => ({ prompt: 'Does a ship come in here? Answer yes or no.', context: part })))
const found = parts.filter((_, i) => answers[i].value === 'yes').map((part) => part.slice(2, part.indexOf('\\n')))
answer(found.join(', '))`)
    : cell(`answer(context.includes('ship') ? 'yes' : 'no')`),
)

const reader = new Agent({
  id: 'reader',
  model,
  mode: codeMode({ template: 'context-explorer' }),
  // For the whole tree: the questions about parts count too.
  budget: { modelCalls: 20 },
})
const { result, usage } = await reader.run('In which chapters does a ship come in?', { context: book })
console.log(result)
console.log(`${book.length} characters, of which models saw ${usage.inputTokens} tokens of prompts`)
await reader.stop()
