import type { Json } from '../../core/index.ts'
import { answerProblem, answerSchema } from '../../gate/index.ts'
import { readJson } from '../commands/command.ts'

/** Whether a text is an answer as it is: to a question in words, or one whose schema is that of a text. */
export function isTextAnswer(question: Json): boolean {
  const schema = answerSchema(question)
  return schema === undefined ? !isClientCall(question) : schema['type'] === 'string'
}

/**
 * The answer to a question that a person typed. Where more than a text is asked for it is JSON; where a text would do as well, what is no JSON is a text.
 * Throws where it is neither. Whether it fits is for `answerProblem`.
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

/** A tool that the client carries out, without a schema of its result, takes any. */
function isClientCall(question: Json): boolean {
  return typeof question === 'object' && question !== null && 'input' in question
}
