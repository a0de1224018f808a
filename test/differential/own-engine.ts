import { Eval } from '../../src/vm/script/eval.ts'
import type { Report } from './engines.ts'

const limits = { fuel: 1e7, wallMs: 20_000, memoryBytes: 64 * 1024 * 1024 }

/** Runs a script whose value is a text. A refusal is told apart from a difference. */
export async function runScript(source: string): Promise<Report> {
  const { result, error } = await Eval(source, { limits })
  if (error === undefined) return { text: String(result), isRefused: false }
  const { kind } = (error.info ?? {}) as { kind?: string }
  const name = kind === 'syntax' ? 'SyntaxError' : (error.name ?? error.code)
  return {
    text: `${name}: ${error.message}`,
    isRefused: kind === 'refused' || error.code === 'LIMIT_EXCEEDED' || error.code === 'TIMEOUT',
  }
}
