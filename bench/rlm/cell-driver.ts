import { AgentService } from 'mandate'
import { fileContext } from 'mandate/connect'
import { scripted, textOf } from 'mandate/model'
import type { Model } from 'mandate/model'
import { codeMode, contextOf, openContext } from 'mandate/repl'
import { isJudged, judge } from './tasks.ts'
import type { Task } from './tasks.ts'

/** Maximum cells for one question. */
const TURNS = 16

/**
 * A scripted model that writes the cells of a task, one per turn regardless of their output, and the cells for delegated parts, and that answers the queries
 * of cells.
 */
export function writer({ cells, part }: Task): Model {
  return scripted(({ messages }) => {
    const asked = textOf(messages.find(({ role }) => role === 'user')!)
    if (isJudged(asked)) return judge(asked)
    const turn = messages.filter(({ role }) => role === 'assistant').length
    const written = part !== undefined && asked.startsWith(part.question) ? part.cells : cells
    return `\`\`\`js\n${written[turn] ?? ''}\n\`\`\``
  })
}

/**
 * Answers a question over a file larger than any prompt with an agent in code mode: the model receives only the size of the input and the output of its
 * cells.
 */
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
