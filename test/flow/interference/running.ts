import type { Json, Outcome } from '../../../src/core/index.ts'
import { scriptBuiltins } from '../../../src/vm/builtins/index.ts'
import { compileProgram } from '../../../src/vm/compile/compile.ts'
import type { Compiled } from '../../../src/vm/compile/compile.ts'
import { scriptLanguage } from '../../../src/vm/compile/script/index.ts'
import { joinTables } from '../../../src/vm/door.ts'
import { withLabels } from '../../../src/vm/labels/index.ts'
import { createMachine } from '../../../src/vm/machine/machine.ts'
import { promiseBuiltins } from '../../../src/vm/machine/promise-builtins.ts'
import { script } from '../../../src/vm/script/index.ts'
import { CLEAN } from './pairs.ts'
import type { Shown, SinkCall } from './pairs.ts'

const builtins = joinTables(scriptBuiltins, promiseBuiltins)
const tool = (name: string): { kind: string; name: string } => ({ kind: 'tool', name })
const TOOLS = { tools: { web: tool('web'), clean: tool('clean'), sink: tool('sink') } }
const LIMITS = { fuel: 20_000, wallMs: 20_000, memoryBytes: 16 * 1024 * 1024 }

export function compileLabelled(source: string): Compiled {
  return compileProgram(script(source), { language: withLabels(scriptLanguage), builtins, capabilities: TOOLS })
}

/** Runs a program with what the untrusted side says. */
export async function show(compiled: Compiled, said: Json): Promise<Shown> {
  const calls: SinkCall[] = []
  const perform = ({ name, input, labels }: { name: string; input: Json; labels: SinkCall['labels'] }): Outcome => {
    if (name === 'web') return { status: 'ok', value: said, labels: ['untrusted:web'] }
    if (name === 'clean') return { status: 'ok', value: CLEAN }
    calls.push({ input, labels })
    return { status: 'ok', value: null }
  }
  const { result, error, labels } = await createMachine(compiled, { args: {}, limits: LIMITS, port: { perform } }).run()
  const isWhole = error === undefined
  return { calls, isWhole, result: isWhole ? { input: result ?? null, labels: labels ?? {} } : undefined }
}
