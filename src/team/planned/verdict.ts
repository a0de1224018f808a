import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { jsonIn } from './plan.ts'

/** The verdict of a verifier on a result. */
interface Verdict {
  readonly approved: boolean
  readonly reason: string
}

/** The JSON Schema of a verdict, for the built-in verifier. */
export const VERDICT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string', description: 'What is missing or wrong, so that the worker can put it right.' },
  },
  required: ['approved', 'reason'],
  additionalProperties: false,
}

/** Parses a verdict. Only an explicit approval approves: a verdict that cannot be parsed rejects. */
export function readVerdict(answer: Json): Verdict {
  const value = typeof answer === 'string' ? jsonIn(answer) : answer
  if (!isRecord(value) || typeof value['approved'] !== 'boolean')
    return {
      approved: false,
      reason: 'The verifier gave no verdict that can be read, so the result counts as rejected.',
    }
  const reason = value['reason']
  return { approved: value['approved'], reason: typeof reason === 'string' ? reason : '' }
}
