import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'

/** Limits of a session of cells. All are enforced; those of calls count over the whole session, also after a restart. */
export interface ReplPolicy {
  /** Operations that one cell may compute, an expression or statement each; 0 for no limit of its own. */
  readonly maxOperations: number
  /** Cells of the session. */
  readonly maxIterations: number
  /** Bytes of the source of one cell, and of one graph that a cell defines. */
  readonly maxScriptBytes: number
  /** Bytes of what one cell prints, answers and emits, and of its value, together. */
  readonly maxOutputBytes: number
  readonly maxModelCalls: number
  readonly maxAgentCalls: number
  readonly maxToolCalls: number
  readonly maxGraphCalls: number
  readonly maxGraphDefinitions: number
  /** Calls of methods of `context`, where it is read in parts. */
  readonly maxContextCalls: number
  /** How deep runs may stand in one another. */
  readonly maxDepth: number
  /** How long one cell may take, with the calls that it waits for; 0 for no limit of its own. Waiting for people does not count. */
  readonly timeoutMs: number
  /** Calls of one cell that are under way at once. */
  readonly maxConcurrency: number
  /** Graphs that cells define are registered only with the token of a review. */
  readonly generatedGraphsRequireReview: boolean
  /** Characters of a cell's output that a model is shown. */
  readonly shownChars: number
  /** Contexts of `rlm_query` of up to so many characters go straight to a model. */
  readonly plainChars: number
  /** Bytes that the variables of the session and a running cell may hold. */
  readonly maxMemoryBytes: number
}

const DEFAULT_POLICY: ReplPolicy = Object.freeze({
  maxOperations: 1_000_000,
  maxIterations: 16,
  maxScriptBytes: 64 * 1024,
  maxOutputBytes: 256 * 1024,
  maxModelCalls: 64,
  maxAgentCalls: 32,
  maxToolCalls: 128,
  maxGraphCalls: 32,
  maxGraphDefinitions: 8,
  maxContextCalls: 4_096,
  maxDepth: 8,
  timeoutMs: 30_000,
  maxConcurrency: 4,
  generatedGraphsRequireReview: true,
  shownChars: 20_000,
  plainChars: 8_000,
  maxMemoryBytes: 64 * 1024 * 1024,
})

const FIELDS: FieldNames<ReplPolicy> = {
  maxOperations: true,
  maxIterations: true,
  maxScriptBytes: true,
  maxOutputBytes: true,
  maxModelCalls: true,
  maxAgentCalls: true,
  maxToolCalls: true,
  maxGraphCalls: true,
  maxGraphDefinitions: true,
  maxContextCalls: true,
  maxDepth: true,
  timeoutMs: true,
  maxConcurrency: true,
  generatedGraphsRequireReview: true,
  shownChars: true,
  plainChars: true,
  maxMemoryBytes: true,
}

const { maxConcurrency: _most, generatedGraphsRequireReview: _review, ...counts } = FIELDS
const NUMBERS = {
  ...Object.fromEntries(Object.keys(counts).map((name) => [name, 'count' as const])),
  maxConcurrency: 'count+' as const,
}

/** A policy with its defaults filled in. Throws for a name that is not known and for a number that cannot be meant. */
export function readPolicy(given: Partial<ReplPolicy> = {}, base: ReplPolicy = DEFAULT_POLICY): ReplPolicy {
  const what = 'a field of a policy of cells'
  checkFields(given, what, FIELDS)
  checkNumbers(given, what, NUMBERS)
  if (!['boolean', 'undefined'].includes(typeof given.generatedGraphsRequireReview))
    throw new MandateError('CONFIG_INVALID', '`generatedGraphsRequireReview` is true or false.')
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return Object.freeze({ ...base, ...set })
}
