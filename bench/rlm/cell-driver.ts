import { AgentService } from 'mandate'
import { fileContext } from 'mandate/connect'
import { collectReply, scripted, textOf, userMessage } from 'mandate/model'
import type { Message, Model } from 'mandate/model'
import { ReplSession, contextOf, describeContext } from 'mandate/repl'
import { judge } from './tasks.ts'
import type { Task } from './tasks.ts'

/** Turns that a model has for one question. */
const TURNS = 16
/** Characters of the output of a cell that the model is shown. */
const SHOWN = 4_000

/** A model that writes the cells of a task, one per turn, whatever they print. */
export function writer(task: Task): Model {
  return scripted(task.cells.map((cell) => `\`\`\`js\n${cell}\n\`\`\``))
}

/** A model that answers what cells ask of it. */
export function reader(): Model {
  return scripted(({ messages }) => judge(textOf(messages.at(-1)!)))
}

/** Answers a question with cells over a file that no prompt holds: the model sees the size of the input and what its cells print. */
export async function cellDriver(
  task: Task,
  path: string,
  { driver, sub }: { readonly driver: Model; readonly sub: Model },
): Promise<string> {
  const service = new AgentService()
  try {
    const context = contextOf(fileContext(path), { labels: ['untrusted:file'] })
    const policy = { maxModelCalls: 1_000, timeoutMs: 600_000 }
    const session = await ReplSession.open(service, { context, model: sub, policy })
    const messages: Message[] = [userMessage(promptOf(task, describeContext((await context.open()).facts)))]
    for (let turn = 0; turn < TURNS; turn += 1) {
      const reply = await replyOf(driver, messages)
      const text = textOf(reply)
      const [, cell] = /```(?:js|javascript|ts|typescript)?\n([^]*?)\n```/.exec(text) ?? []
      if (cell === undefined) return text
      const { finalAnswer, stdout, value, error } = await session.evalCell(cell)
      if (finalAnswer !== undefined && error === undefined) return finalAnswer
      const shown = [stdout, value === undefined ? '' : JSON.stringify(value), error?.message ?? ''].join('\n').trim()
      messages.push(reply, userMessage(`Output:\n${shown.slice(0, SHOWN)}`))
    }
    return ''
  } finally {
    await service.stop()
  }
}

function promptOf({ question }: Task, context: string): string {
  return [
    'Answer a question about a text that you cannot see. Reply with one fenced block of JavaScript (```js). It is run, and you are shown what it prints;',
    'variables and functions stay for the next block. Narrow down by code. For what needs judgement, ask a model:',
    '`await model_query(prompt)`, or several at once: `await model_query_batched([{ prompt }, …])`, which gives `{ ok, value }` for each.',
    'When you know the answer, call `answer(text)`.',
    context,
    `Question: ${question}`,
  ].join('\n')
}

async function replyOf(model: Model, messages: readonly Message[]): Promise<Message> {
  const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: `turn ${messages.length}` }
  const { message } = await collectReply(model.stream({ messages: [...messages] }, call))
  return message
}
