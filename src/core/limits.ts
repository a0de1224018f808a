import { MandateError } from './errors.ts'
import { nearest } from './nearest.ts'

/** The limits of a run tree. Absent means no limit; zero means that nothing may be spent. */
export interface BudgetLimits {
  /** Turns of agent loops and supersteps of graphs. */
  readonly steps?: number | undefined
  /** Calls of models; every attempt counts. */
  readonly modelCalls?: number | undefined
  /** Calls of tools; every attempt counts. */
  readonly toolCalls?: number | undefined
  /** Input tokens of models. */
  readonly inputTokens?: number | undefined
  /** Output tokens of models. */
  readonly outputTokens?: number | undefined
  /** Input and output tokens together. */
  readonly totalTokens?: number | undefined
  /** US dollars. */
  readonly money?: number | undefined
  /** Time in which the root of the tree is running; waiting for a human does not count. */
  readonly timeMs?: number | undefined
  /** How deep child runs may be nested. */
  readonly depth?: number | undefined
  /** Bytes of the results of all effects. */
  readonly outputBytes?: number | undefined
  /** Writes to memory and database. */
  readonly storeWrites?: number | undefined
  /** Fuel that programs and scripts of the tree consume together. */
  readonly fuel?: number | undefined
  /** Bytes that each program or script of the tree may hold: the maximum of any one, not the sum. */
  readonly memory?: number | undefined
}

export type BudgetUnit = keyof BudgetLimits

export const BUDGET_UNITS: readonly BudgetUnit[] = [
  'steps',
  'modelCalls',
  'toolCalls',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'money',
  'timeMs',
  'depth',
  'outputBytes',
  'storeWrites',
  'fuel',
  'memory',
]

/** Technical limits of one run: each has a default, and the error of each names it. */
export interface RunLimits {
  /** Effects of one run in flight at once; the others are queued. */
  readonly parallel: number
  /** The time of one attempt of a tool, unless the tool has its own timeout. */
  readonly toolTimeoutMs: number
  /** The time of one attempt of a model call. */
  readonly modelTimeoutMs: number
  /** A larger tool result is truncated and marked as such. */
  readonly resultBytes: number
  /** A larger image or file is refused in a prompt, and only named in a result. */
  readonly fileBytes: number
  /** A larger input is refused before the gate is called. */
  readonly inputBytes: number
  /** Attempts of one effect, including the first. */
  readonly attempts: number
  /** The time of the gate for one effect: content filters, asynchronous schemas. After it the effect is denied. */
  readonly checkTimeoutMs: number
  /** How long an aborted performer may take to stop before it is abandoned. */
  readonly cancelGraceMs: number
  /** How long `stop()` waits for something that does not answer, such as a store or an event sink. */
  readonly stopTimeoutMs: number
  /** A sleep up to this long is waited for in memory; a longer one suspends the run. */
  readonly liveSleepMs: number
  /** How long an approval request stays open before it expires. */
  readonly approvalTtlMs: number
  /** The lifetime of a lease without renewal. */
  readonly leaseMs: number
}

export const DEFAULT_RUN_LIMITS: RunLimits = Object.freeze({
  parallel: 8,
  toolTimeoutMs: 30_000,
  modelTimeoutMs: 300_000,
  resultBytes: 256 * 1024,
  fileBytes: 100_000_000,
  inputBytes: 4 * 1024 * 1024,
  attempts: 3,
  checkTimeoutMs: 30_000,
  cancelGraceMs: 1_000,
  stopTimeoutMs: 5_000,
  liveSleepMs: 30_000,
  approvalTtlMs: 30 * 24 * 3_600_000,
  leaseMs: 30_000,
})

/** Applies the given limits to the defaults. Throws on a value that is not a number from zero up. */
export function runLimits(given: Partial<RunLimits> = {}): RunLimits {
  checkNumbers(given, Object.keys(DEFAULT_RUN_LIMITS), 'limits')
  return Object.freeze({ ...DEFAULT_RUN_LIMITS, ...dropUndefined(given) })
}

/** The budget of a run without limits. */
const NO_LIMITS: BudgetLimits = Object.freeze({})

/** Validates a budget. */
export function budgetLimits(given: BudgetLimits = {}): BudgetLimits {
  if (given === NO_LIMITS) return given
  checkNumbers(given, BUDGET_UNITS, 'budget')
  if (Object.keys(given).length === 0) return NO_LIMITS
  // A missing limit is left out, because infinity cannot be journaled.
  return Object.freeze(
    Object.fromEntries(Object.entries(dropUndefined(given)).filter(([, value]) => value !== Number.POSITIVE_INFINITY)),
  )
}

function checkNumbers(given: object, known: readonly string[], what: string): void {
  if (typeof given !== 'object' || given === null)
    throw new MandateError('CONFIG_INVALID', `\`${what}\` must be an object of numbers.`)
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) throw new MandateError('CONFIG_INVALID', unknownLimit(what, name, known))
    if (value === undefined || isLimit(name, value)) continue
    const words = FRACTIONS.test(name) ? 'a number' : 'a whole number'
    throw new MandateError(
      'CONFIG_INVALID',
      `\`${what}.${name}\` is ${String(value)}. Give ${words} from 0 up, or leave it out for no limit.`,
    )
  }
}

/** Units that can be fractional; all others are whole numbers. */
const FRACTIONS = /Ms$|^(?:money|fuel)$/

function isLimit(name: string, value: unknown): boolean {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0) return false
  return FRACTIONS.test(name) || Number.isInteger(value) || value === Number.POSITIVE_INFINITY
}

function unknownLimit(what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  const hint = meant === undefined ? `Use one of: ${known.join(', ')}.` : `Did you mean \`${meant}\`?`
  return `\`${what}.${name}\` is not known. ${hint}`
}

function dropUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}
