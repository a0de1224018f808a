import { setTimeout as sleep } from 'node:timers/promises'
import { MandateError } from '../../src/core/index.ts'
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
    grown < 4 * memoryBytes ? '' : `grew by ${Math.round(grown / 1e6)} MB`,
    failure === undefined || MandateError.isInstance(failure) ? '' : `threw ${String((failure as Error).stack)}`,
    result === undefined || isPlain(result.result) ? '' : 'the result is not plain data',
    leaks(result) ? `shows the host: ${end}` : '',
    endsAsExpected(one, result, failure) ? '' : `expected ${one.expect} ${one.error ?? ''}`,
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

/** Where we differ from the words of a case, and are at least as strict. */
const atLeastAsStrict: ReadonlyMap<string, string> = new Map([
  [
    'ctor-chain-22',
    'there is no `constructor`, so the chain of `?.` ends with undefined: nothing is reached or called',
  ],
])

function endsAsExpected(one: EscapeCase, result: EvalResult | undefined, failure: unknown): boolean {
  const isError = failure !== undefined || result?.error !== undefined
  switch (one.expect) {
    case 'blocked':
      return isError || (atLeastAsStrict.has(one.id) && result?.result === undefined)
    case 'value':
      if (isError) return false
      return one.valueIsUndefined === true || one.value === undefined
        ? result?.result === undefined
        : JSON.stringify(result?.result) === JSON.stringify(one.value)
    case 'contained':
    case 'bounded':
      return true
  }
}
