import { open } from 'node:fs/promises'
import { Agent } from 'mandate'
import { scripted } from 'mandate/model'
import type { Model } from 'mandate/model'
import type { Task } from './tasks.ts'

/** Characters of the input per call: about 130,000 tokens, which leaves room in a context window of 200,000. */
export const WINDOW_CHARS = 400_000

/** Yields parts of a file that end at line breaks. The corpus is ASCII, so bytes are characters. */
async function* windows(path: string): AsyncGenerator<string> {
  const file = await open(path)
  try {
    let rest = ''
    for (let position = 0; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(WINDOW_CHARS), 0, WINDOW_CHARS - rest.length, position)
      position += bytesRead
      const text = rest + buffer.toString('latin1', 0, bytesRead)
      if (bytesRead === 0) {
        if (text !== '') yield text
        return
      }
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      yield text.slice(0, end)
    }
  } finally {
    await file.close()
  }
}

const NOTES = 'Your notes so far:'
const PART = 'The next part of the tickets:'

/** A scripted model that reads every part and takes notes. */
export function noteTaker(task: Task): Model {
  return scripted(({ messages }) => {
    const text = messages
      .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
      .join('')
    const [, after = ''] = text.split(NOTES)
    const [before, part] = text.includes(NOTES) ? after.split(PART) : ['', text]
    const notes = before!.split('\n').filter((line) => line.trim() !== '')
    for (const ticket of (part ?? '').split('\n')) {
      const note = task.note(ticket)
      if (note !== undefined) notes.push(note)
    }
    return text.includes(PART) ? notes.join('\n') : task.conclude(notes)
  })
}

/** Answers the same question without a context: the input is sent to the model part by part, with notes that it writes itself. */
export async function plainLoop(task: Task, path: string, model: Model): Promise<string> {
  let notes = ''
  const say = async (instruction: string, part: string): Promise<string> => {
    const result = await new Agent({ model }).run(`${task.question}\n${instruction}\n${NOTES}\n${notes}${part}`)
    return result.text ?? ''
  }
  const take = 'Reply with your notes, completed with what matters of the next part, and nothing else.'
  for await (const part of windows(path)) notes = await say(take, `\n${PART}\n${part}`)
  return say('You have read everything. Answer from your notes.', '')
}
