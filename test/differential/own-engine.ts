import { MandateError } from '../../src/core/index.ts'
import { scriptBuiltins } from '../../src/vm/builtins/index.ts'
import { compileScript } from '../../src/vm/script/compile-script.ts'
import type { Report } from './engines.ts'

/** Runs a script whose value is a text. A refusal is told apart from a difference. */
export async function runScript(source: string): Promise<Report> {
  void scriptBuiltins
  try {
    const machine = compileScript(source)
    const { result, error } = await machine
    if (error !== undefined) return { text: `${error.name ?? error.code}: ${error.message}`, isRefused: false }
    return { text: String(result), isRefused: false }
  } catch (error) {
    if (!MandateError.isInstance(error)) return { text: `crash: ${String((error as Error).stack)}`, isRefused: false }
    const kind = (error.info as { kind?: string } | undefined)?.kind
    return { text: `SyntaxError: ${error.message}`, isRefused: kind !== 'syntax' }
  }
}
