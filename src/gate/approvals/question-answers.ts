import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { jsonSchemaCheck } from '../../tool/index.ts'

/** The JSON Schema of the answers to a question; `undefined` if any answer is valid. */
export function answerSchema(question: Json): JsonObject | undefined {
  if (!isRecord(question)) return undefined
  const { choices, schema } = question
  if (Array.isArray(choices)) return { type: 'string', enum: choices as readonly Json[] }
  return isRecord(schema) ? schema : undefined
}

/** Why an answer to a question is invalid, as text; `undefined` for a valid one. */
export function answerProblem(question: Json, answer: Json): string | undefined {
  const schema = answerSchema(question)
  if (schema === undefined) return undefined
  if (isRecord(question) && Array.isArray(question['choices'])) {
    const { choices } = question as { readonly choices: readonly Json[] }
    return choices.includes(answer) ? undefined : `The answer must be one of: ${choices.map(String).join(', ')}.`
  }
  const checked = checkOf(schema, answer)
  if (checked === undefined || checked.valid) return undefined
  const issues = checked.issues.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return `The answer does not fit the question: ${issues.join('; ')}.`
}

/**
 * The validator of a schema. A broken schema (with an unresolvable reference, for example) accepts everything, because otherwise the question could
 * never be answered.
 */
function checkOf(schema: JsonObject, answer: Json): ReturnType<ReturnType<typeof jsonSchemaCheck>> | undefined {
  try {
    return jsonSchemaCheck(schema, 'the answer')(answer)
  } catch {
    return undefined
  }
}
