import { AgentService } from 'mandate'
import { fileContext } from 'mandate/connect'
import { scripted, textOf } from 'mandate/model'
import type { Model } from 'mandate/model'
import { codeMode, contextOf, openContext } from 'mandate/repl'
import { isJudged, judge } from './tasks.ts'
import type { Task } from './tasks.ts'

/** Cells that a model may write for one question. */
const TURNS = 16

/** A model that writes the cells of a task, one per turn, whatever they print, and those of the parts that a cell hands on; and that answers what cells ask of it. */
export function writer({ cells, part }: Task): Model {
  return scripted(({ messages }) => {
    const asked = textOf(messages.find(({ role }) => role === 'user')!)
    if (isJudged(asked)) return judge(asked)
    const turn = messages.filter(({ role }) => role === 'assistant').length
    const written = part !== undefined && asked.startsWith(part.question) ? part.cells : cells
    return `\`\`\`js\n${written[turn] ?? ''}\n\`\`\``
  })
}

/** An agent in code mode answers a question over a file that no prompt holds: the model sees the size of the input and what its cells print. */
export async function cellDriver({ question }: Task, path: string, model: Model): Promise<string> {
  const mode = codeMode({
    template: 'context-explorer',
    policy: { maxModelCalls: 1_000, timeoutMs: 600_000, shownChars: 4_000 },
  })
  const service = new AgentService({ agents: [{ id: 'reader', model, mode, maxTurns: TURNS }] })
  try {
    const context = await openContext(service, {
      sessionId: 'question',
      context: contextOf(fileContext(path), { labels: ['untrusted:file'] }),
    })
    const { result, text, error } = await service.run('reader', question, { sessionId: 'question', context })
    if (error !== undefined) throw new Error(error.message)
    return typeof result === 'string' ? result : text
  } finally {
    await service.stop()
  }
}
