import { MandateError, checkFields, checkNumbers, isRecord, messageOf } from '../core/index.ts'
import type { FieldNames, Json } from '../core/index.ts'
import { compileExpr, parseCondition } from '../expr/index.ts'

/** The fields of an attempt that checks read. Expressions use these names. */
export interface Attempted {
  readonly task: string
  /** Starts at 1. */
  readonly attempt: number
  readonly input: Json
  /** The expected value of the task; `null` when it has none. */
  readonly expected: Json
  /** The status of the result (`completed`, `await_user`, `failed`, `cancelled`, `max_turns`, `max_tokens`), or `refused` when the run could not start. */
  readonly status: string
  /** The structured answer; `null` when there is none. */
  readonly result: Json
  readonly text: string
  readonly lastText: string
  /** Number of turns of the agent. */
  readonly steps: number
  /** Names of the tools that were called, in order. */
  readonly tools: readonly string[]
  readonly actions: readonly {
    readonly name: string
    readonly input: Json
    readonly output: Json
    readonly ok: boolean
  }[]
  readonly toolErrors: number
  readonly tokens: number
  /** In US dollars; `null` when a price is unknown. */
  readonly cost: number | null
  readonly durationMs: number
  readonly error: { readonly code: string; readonly message: string } | null
  /** Id of the run. */
  readonly run: string
}

/** The result of a check function. Undefined means that it passed; a number is a score from 0 to 1; an exception means that it failed. */
type CheckVerdict =
  | boolean
  | number
  | { readonly pass: boolean; readonly score?: number; readonly reason?: string }
  | void

type CheckFunction = (attempt: Attempted) => CheckVerdict | Promise<CheckVerdict>

/** A check with a name: exactly one of `expr`, `run` and `judge`. */
interface NamedCheck {
  readonly name?: string | undefined
  /** An expression over the attempt, such as `text.includes('grey') && steps <= 3`. */
  readonly expr?: string | undefined
  /** A custom function. */
  readonly run?: CheckFunction | undefined
  /** The criterion by which a model judges the answer. */
  readonly judge?: string | undefined
  /** The lowest score that passes; 0.7 when absent. */
  readonly atLeast?: number | undefined
}

/** An expression, a function, or an object with either of them or with a criterion for the judge. */
export type EvalCheck = string | CheckFunction | NamedCheck

/** The result of a check on one attempt. */
export type CheckResult = {
  readonly name: string
  readonly passed: boolean
  /** From 0 to 1. */
  readonly score: number
  readonly reason?: string | undefined
  /** Id of the run in which a model judged; it ended with the eval. */
  readonly run?: string | undefined
}

/** Asks the judge how well an attempt meets a criterion. */
export type Judge = (criterion: string, attempt: Attempted) => Promise<{ score: number; reason: string; run: string }>

/** A compiled check. */
export interface Check {
  readonly name: string
  readonly needsJudge: boolean
  check(attempt: Attempted, judge: Judge | undefined): Promise<CheckResult>
}

const NAMED_CHECK: FieldNames<NamedCheck> = { name: 'text', expr: true, run: 'function', judge: true, atLeast: true }
const AT_LEAST = 0.7

/** Compiles a check, so that an error in an expression is reported before anything runs. */
export function compileCheck(given: EvalCheck, where: string): Check {
  const named = readCheck(given, where)
  const { name, expr, run, judge, atLeast = AT_LEAST } = named
  if (expr !== undefined) return exprCheck(name ?? expr, expr, where)
  if (run !== undefined) return functionCheck(name ?? (run.name === '' ? 'function' : run.name), run, atLeast)
  return judgeCheck(name ?? `judge: ${judge}`, judge!, atLeast)
}

function readCheck(given: EvalCheck, where: string): NamedCheck {
  if (typeof given === 'string') return { expr: given }
  if (typeof given === 'function') return { run: given }
  checkFields(given, 'a field of a check', NAMED_CHECK)
  checkNumbers(given, 'a field of a check', { atLeast: 'share' })
  const named: NamedCheck = isRecord(given as unknown) ? given : {}
  const { expr, run, judge } = named
  const kinds = [expr, run, judge].filter((one) => one !== undefined)
  const isRight =
    kinds.length === 1 &&
    (typeof expr === 'string' || typeof run === 'function' || (typeof judge === 'string' && judge.trim() !== ''))
  if (isRight) return named
  throw new MandateError(
    'CONFIG_INVALID',
    `A check in ${where} is neither an expression, nor a function, nor an object with exactly one of \`expr\`, \`run\` and \`judge\`.`,
  )
}

function exprCheck(name: string, expr: string, where: string): Check {
  const holds = compiled(expr, where)
  return {
    name,
    needsJudge: false,
    async check(attempt) {
      try {
        const value = holds(attempt)
        if (value === true) return passed(name)
        return failed(name, value === false ? 'it does not hold' : `it gives ${JSON.stringify(value)}, and not true`)
      } catch (error) {
        return failed(name, messageOf(error))
      }
    },
  }
}

function compiled(expr: string, where: string): ReturnType<typeof compileExpr> {
  try {
    const parsed = parseCondition(expr)
    // An unknown name would otherwise fail every attempt, after it was paid for.
    compileExpr(parsed, { names: NAMES })
    return compileExpr(parsed)
  } catch (cause) {
    throw new MandateError(
      'CONFIG_INVALID',
      `The expression ${JSON.stringify(expr)} in ${where}: ${messageOf(cause)}`,
      {
        cause,
      },
    )
  }
}

const ATTEMPTED: FieldNames<Attempted> = {
  ...{ task: true, attempt: true, input: true, expected: true, status: 'text', result: true, text: 'text' },
  ...{ lastText: true, steps: true, tools: true, actions: true, toolErrors: true, tokens: true, cost: true },
  ...{ durationMs: true, error: true, run: true },
}
const NAMES = Object.fromEntries(Object.keys(ATTEMPTED).map((name) => [name, (): undefined => undefined]))

function functionCheck(name: string, run: CheckFunction, atLeast: number): Check {
  return {
    name,
    needsJudge: false,
    async check(attempt) {
      try {
        const verdict = await run(attempt)
        if (verdict === undefined || verdict === true) return passed(name)
        if (verdict === false) return failed(name, 'it gave false')
        if (typeof verdict === 'number') return scored(name, verdict, atLeast)
        const { pass, score = pass ? 1 : 0, reason } = verdict
        return { name, passed: pass, score: clamp(score), ...(reason === undefined ? {} : { reason }) }
      } catch (error) {
        return failed(name, messageOf(error))
      }
    },
  }
}

function judgeCheck(name: string, criterion: string, atLeast: number): Check {
  return {
    name,
    needsJudge: true,
    async check(attempt, judge) {
      try {
        const { score, reason, run } = await judge!(criterion, attempt)
        return { ...scored(name, score, atLeast), reason, run }
      } catch (error) {
        return failed(name, `The judge gave no verdict: ${messageOf(error)}`)
      }
    },
  }
}

function scored(name: string, score: number, atLeast: number): CheckResult {
  const value = clamp(score)
  return value >= atLeast
    ? { name, passed: true, score: value }
    : { name, passed: false, score: value, reason: `${value} is less than ${atLeast}` }
}

function clamp(score: number): number {
  return Number.isNaN(score) ? 0 : Math.min(1, Math.max(0, score))
}

function passed(name: string): CheckResult {
  return { name, passed: true, score: 1 }
}

function failed(name: string, reason: string): CheckResult {
  return { name, passed: false, score: 0, reason }
}
