import { setTimeout as sleep } from 'node:timers/promises'
import { MandateError } from '../../src/core/index.ts'
import type { VmLimit } from '../../src/vm/meter/limits.ts'
import { Eval, type EvalOptions, type EvalResult, runProgramOnce } from '../../src/vm/script/eval.ts'
import { isPlain, takePicture } from './canaries.ts'
import { type EscapeCase, textOf } from './corpus.ts'
import { toExpression } from './neutral-tree.ts'

const memoryBytes = 32 * 1024 * 1024
const wallMax = 2_000

const tools: EvalOptions['tools'] = {
  echo: (input) => input,
  fail: () => {
    throw new Error('the tool failed')
  },
  denied: () => {
    throw new MandateError('DENIED', 'not allowed')
  },
  http: (input) => input,
  slow: async () => {
    await sleep(5)
    return 'slow'
  },
  never: async (_, signal) => {
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))))
  },
}

/** How a case ended, and what is wrong with that, if anything. */
export interface CaseReport {
  readonly id: string
  readonly end: string
  readonly wallMs: number
  readonly problem?: string
}

const options: EvalOptions = {
  tools,
  limits: { fuel: 2_000, memoryBytes, wallMs: 1_000, outputBytes: 1_000_000 },
}

async function execute(one: EscapeCase): Promise<EvalResult> {
  if (one.source === 'js') return Eval(textOf(one), { ...options, vars: { args: ['a'] } })
  if (one.source !== 'ast-expr') throw new Error(`The case ${one.id} is of a source that its runner does not know.`)
  let tree: unknown
  try {
    tree = one.raw === true ? JSON.parse(textOf(one)) : one.code
  } catch {
    throw new MandateError('JSON_INVALID', 'this is no JSON')
  }
  const program = { mandate: 1, op: 'seq', mode: 'script', steps: [{ op: 'return', value: toExpression(tree) }] }
  return runProgramOnce(program, options)
}

/** Runs a case and looks at the host before and after. */
export async function runCase(one: EscapeCase): Promise<CaseReport> {
  const before = takePicture()
  const memoryBefore = process.memoryUsage().rss
  const start = performance.now()
  let result: EvalResult | undefined
  let failure: unknown
  try {
    result = await execute(one)
  } catch (error) {
    failure = error
  }
  await sleep(1)
  const wallMs = performance.now() - start
  const grown = process.memoryUsage().rss - memoryBefore
  const end = describe(result, failure)
  const problems = [
    takePicture() === before ? '' : `the host changed: ${takePicture()}`,
    wallMs < wallMax ? '' : `took ${Math.round(wallMs)} ms`,
    grown < 2 * memoryBytes ? '' : `grew by ${Math.round(grown / 1e6)} MB`,
    failure === undefined || MandateError.isInstance(failure) ? '' : `threw ${String((failure as Error).stack)}`,
    result === undefined || isPlain(result.result) ? '' : 'the result is not plain data',
    leaks(result) ? `shows the host: ${end}` : '',
    endsAsExpected(one, result, failure) ? '' : `expected ${one.expect} ${one.error ?? ''}, not ${end}`,
  ].filter((text) => text !== '')
  const report = { id: one.id, end, wallMs: Math.round(wallMs) }
  return problems.length === 0 ? report : { ...report, problem: problems.join('; ') }
}

function describe(result: EvalResult | undefined, failure: unknown): string {
  if (failure !== undefined) return `refused: ${String(failure)}`.slice(0, 200)
  const error = result?.error
  if (error !== undefined) return `${error.code} ${error.name ?? ''}: ${error.message}`.slice(0, 200)
  return `value ${(JSON.stringify(result?.result) ?? 'undefined').slice(0, 100)}`
}

function leaks(result: EvalResult | undefined): boolean {
  const text = JSON.stringify([result?.result ?? null, result?.error ?? null])
  return /file:\/\/|node_modules|\/home\/|node:internal|native code/.test(text)
}

/** Where we differ from the words of a case, and are at least as strict: how it ends instead. */
const OTHERWISE: ReadonlyMap<string, { readonly ends: readonly string[]; readonly why: string }> = new Map([
  ['coercion-14', { ends: ['E_AST'], why: 'an object as a key is refused before it is turned into a text' }],
  ['json-13', { ends: ['E_FUEL'], why: 'walking the nested value is paid for, and costs more than there is' }],
  ['memory-16', { ends: ['E_FUEL'], why: 'what would be held is paid for first' }],
  ['memory-24', { ends: ['E_FUEL'], why: 'what would be held is paid for first' }],
  ['memory-37', { ends: ['E_FUEL'], why: 'what would be held is paid for first' }],
  ['regex-dos-17', { ends: ['E_AST'], why: '`lastIndex` takes numbers alone' }],
  ['stack-17', { ends: ['E_SIZE'], why: 'the text is longer than scripts may be' }],
  ['stack-18', { ends: ['E_SIZE'], why: 'the text is longer than scripts may be' }],
])

/** The names that the corpus has for limits. */
const LIMITS: Readonly<Record<string, readonly VmLimit[]>> = {
  E_FUEL: ['fuel'],
  E_BUDGET: ['parallelCalls'],
  E_MEM: ['memoryBytes', 'stringLength', 'arrayLength', 'outputBytes'],
  E_OUTPUT: ['outputBytes'],
  E_DEPTH: ['callDepth', 'expressionDepth'],
  E_TIMEOUT: ['wallMs'],
}

/** Whether an error is the one that a case names. Limits are told apart by the limit, refusals by what they say. */
function isNamed(name: string, error: NamedError | undefined): boolean {
  if (name === 'value') return error === undefined
  if (error === undefined) return false
  const info = (error.info ?? {}) as { readonly limit?: VmLimit; readonly kind?: string; readonly name?: string }
  const limits = LIMITS[name]
  if (limits?.some((limit) => info.limit === limit) === true) return true
  const isRefused = error.code === 'INPUT_INVALID'
  const isNoFunction = error.name === 'TypeError' && error.message.endsWith('is not a function')
  switch (name) {
    case 'E_DEPTH':
      return (info.kind === 'limit' || error.name === 'RangeError') && error.message.includes('nested deeper')
    case 'E_SIZE':
      return info.kind === 'limit' && error.message.includes('characters')
    case 'E_AST':
    case 'E_SYNTAX':
      return isRefused
    case 'E_REGEX':
      return (isRefused && error.message.toLowerCase().includes('regular expression')) || info.limit === 'regexSteps'
    case 'E_REF':
      return (isRefused && info.name !== undefined) || error.name === 'ReferenceError'
    case 'E_PROP':
      return isRefused && (info.name !== undefined || error.message.includes('is not available'))
    case 'E_TOOL':
    case 'E_ARGS':
      return isRefused || isNoFunction
    case 'E_TYPE':
      return error.name === 'TypeError'
    case 'E_RANGE':
      return error.name === 'RangeError'
    case 'E_DEADLOCK':
      return error.code === 'MIND_FAILED' && error.message.includes('will never settle')
    case 'E_FUEL':
    case 'E_BUDGET':
    case 'E_MEM':
    case 'E_OUTPUT':
    case 'E_TIMEOUT':
      return false
    default:
      throw new Error(`The corpus names an error that its runner does not know: ${name}`)
  }
}

interface NamedError {
  readonly code: string
  readonly name?: string | undefined
  readonly message: string
  readonly info?: unknown
}

function endsAsExpected(one: EscapeCase, result: EvalResult | undefined, failure: unknown): boolean {
  const error = (failure ?? result?.error) as NamedError | undefined
  const otherwise = OTHERWISE.get(one.id)
  if (otherwise !== undefined) return otherwise.ends.some((name) => isNamed(name, error))
  if (one.error !== undefined && !one.error.split('|').some((name) => isNamed(name, error))) return false
  switch (one.expect) {
    case 'blocked':
      return error !== undefined
    case 'value':
      if (error !== undefined) return false
      return one.valueIsUndefined === true || one.value === undefined
        ? result?.result === undefined
        : JSON.stringify(result?.result) === JSON.stringify(one.value)
    case 'contained':
    case 'bounded':
      return true
    default:
      throw new Error(
        `The case ${one.id} expects ${String(one.expect satisfies never)}, which its runner does not know.`,
      )
  }
}
