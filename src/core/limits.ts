import { MandateError } from './errors.ts'
import { nearest } from './nearest.ts'

/** What one run tree may spend. Absent means no limit of that kind; zero means none may be spent. */
export interface BudgetLimits {
  /** Turns of agent loops and supersteps of graphs. */
  readonly steps?: number | undefined
  /** Calls of models; every attempt counts. */
  readonly modelCalls?: number | undefined
  /** Calls of tools; every attempt counts. */
  readonly toolCalls?: number | undefined
  /** Tokens that models read. */
  readonly inputTokens?: number | undefined
  /** Tokens that models write. */
  readonly outputTokens?: number | undefined
  /** Both together. */
  readonly totalTokens?: number | undefined
  /** US dollars. */
  readonly money?: number | undefined
  /** Wall time in which the tree's root is running; waiting for a human does not count. */
  readonly timeMs?: number | undefined
  /** How many child runs may be nested in one another. */
  readonly depth?: number | undefined
  /** Bytes of all results that effects gave. */
  readonly outputBytes?: number | undefined
  /** Writes to memory and database. */
  readonly storeWrites?: number | undefined
  /** What programs and scripts of the tree compute, all together, in fuel. */
  readonly fuel?: number | undefined
  /** Bytes that each program or script of the tree may hold: the most of any one, not their sum. */
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

/** Technical ceilings of one run: every one is on by default, and the error of each names it. */
export interface RunLimits {
  /** Effects of one run in flight at once; the others wait their turn. */
  readonly parallel: number
  /** How long one attempt of a tool may take, unless the tool says otherwise. */
  readonly toolTimeoutMs: number
  /** How long one attempt of a model call may take. */
  readonly modelTimeoutMs: number
  /** A larger tool result is cut and says so. */
  readonly resultBytes: number
  /** A larger picture or file is refused with a prompt, and only named in a result. */
  readonly fileBytes: number
  /** A larger input is refused before the gate sees it. */
  readonly inputBytes: number
  /** Attempts of one effect, the first included. */
  readonly attempts: number
  /** How long the gate may take over one effect: content filters, asynchronous schemas. What takes longer is refused. */
  readonly checkTimeoutMs: number
  /** How long a cut performer may take to notice before it is left behind. */
  readonly cancelGraceMs: number
  /** How long `stop()` waits for what does not answer, such as a store or an event sink, before it ends without it. */
  readonly stopTimeoutMs: number
  /** A sleep no longer than this is waited for in memory; a longer one suspends the run. */
  readonly liveSleepMs: number
  /** How long an approval request stays open before it expires. */
  readonly approvalTtlMs: number
  /** How long a lease on a run holds without renewal. */
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

/** Lays the given limits over the defaults, refusing anything that is not a number from zero up. */
export function runLimits(given: Partial<RunLimits> = {}): RunLimits {
  checkNumbers(given, Object.keys(DEFAULT_RUN_LIMITS), 'limits')
  return Object.freeze({ ...DEFAULT_RUN_LIMITS, ...dropUndefined(given) })
}

/** The budget of most runs. */
const NO_LIMITS: BudgetLimits = Object.freeze({})

/** Checks a budget as a user wrote it. */
export function budgetLimits(given: BudgetLimits = {}): BudgetLimits {
  if (given === NO_LIMITS) return given
  checkNumbers(given, BUDGET_UNITS, 'budget')
  if (Object.keys(given).length === 0) return NO_LIMITS
  // No limit is said by leaving it out; infinity cannot be journaled.
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

/** Units that can be divided; all others are counted. */
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
