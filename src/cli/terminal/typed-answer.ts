import type { Json } from '../../core/index.ts'
import { answerProblem, answerSchema } from '../../gate/index.ts'
import { readJson } from '../commands/command.ts'

/** Whether the answer to a question is plain text: the question has no schema, or its schema is a string. */
export function isTextAnswer(question: Json): boolean {
  const schema = answerSchema(question)
  return schema === undefined ? !isClientCall(question) : schema['type'] === 'string'
}

/**
 * Parses a typed answer to a question. If the question requires more than text, the answer is JSON; if its schema also accepts a string, invalid JSON counts as
 * text. Otherwise invalid JSON throws. `answerProblem` checks the value against the schema.
 */
export function typedAnswer(question: Json, text: string): Json {
  if (isTextAnswer(question)) return text
  const isTextToo = answerProblem(question, text) === undefined
  try {
    return readJson(text, 'The answer')
  } catch (error) {
    if (isTextToo) return text
    throw error
  }
}

/** Whether the question is the call of a client-side tool, which without a result schema accepts any value. */
function isClientCall(question: Json): boolean {
  return typeof question === 'object' && question !== null && 'input' in question
}
