import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'

/** Limits of a session of cells. All are enforced; limits of calls apply to the whole session, also after a restart. */
export interface ReplPolicy {
  /** Maximum operations (expressions or statements) of one cell; 0 for no separate limit. */
  readonly maxOperations: number
  /** Maximum cells of the session. */
  readonly maxIterations: number
  /** Maximum bytes of the source of one cell, and of a graph that a cell defines. */
  readonly maxScriptBytes: number
  /** Maximum bytes of the output of one cell: what it prints, answers and emits, plus its value. */
  readonly maxOutputBytes: number
  readonly maxModelCalls: number
  readonly maxAgentCalls: number
  readonly maxToolCalls: number
  readonly maxGraphCalls: number
  readonly maxGraphDefinitions: number
  /** Maximum calls of methods of `context`, when it is read in parts. */
  readonly maxContextCalls: number
  /** Maximum nesting depth of runs. */
  readonly maxDepth: number
  /** Timeout of one cell, including the calls that it waits for; 0 for no separate limit. Time spent waiting for people does not count. */
  readonly timeoutMs: number
  /** Maximum concurrent calls of one cell. */
  readonly maxConcurrency: number
  /** Whether graphs defined by cells can be registered only with a review token. */
  readonly generatedGraphsRequireReview: boolean
  /** Maximum characters of a cell's output shown to a model. */
  readonly shownChars: number
  /** Contexts of `rlm_query` with at most this many characters are passed directly to a model. */
  readonly plainChars: number
  /** Maximum bytes of the variables of the session and of a running cell. */
  readonly maxMemoryBytes: number
}

const DEFAULT_POLICY: ReplPolicy = Object.freeze({
  // Everyday work of a few seconds: sorting 50,000 rows, a sieve. `timeoutMs`, memory and the fuel of the run bound a cell before it.
  maxOperations: 100_000_000,
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

/** Validates a policy and fills in its defaults. Throws for unknown names and invalid numbers. */
export function readPolicy(given: Partial<ReplPolicy> = {}, base: ReplPolicy = DEFAULT_POLICY): ReplPolicy {
  const what = 'a field of a policy of cells'
  checkFields(given, what, FIELDS)
  checkNumbers(given, what, NUMBERS)
  if (!['boolean', 'undefined'].includes(typeof given.generatedGraphsRequireReview))
    throw new MandateError('CONFIG_INVALID', '`generatedGraphsRequireReview` is true or false.')
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return Object.freeze({ ...base, ...set })
}
