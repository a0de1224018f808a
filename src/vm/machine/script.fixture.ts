import type { Outcome } from '../../core/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled } from '../compile/compile.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import type { RequestPort } from '../port.ts'
import { script } from '../script/index.ts'
import { createMachine } from './machine.ts'
import type { MachineOptions } from './machine.ts'
import type { VmResult } from './result.ts'

/** Compiles a script that may call `tools.echo` and `tools.fail`. */
export function compileScript(source: string): Compiled {
  const tool = (name: string): { kind: string; name: string } => ({ kind: 'tool', name })
  return compileProgram(script(source), {
    language: scriptLanguage,
    builtins: scriptBuiltins,
    capabilities: { tools: { echo: tool('echo'), fail: tool('fail') } },
  })
}

/** Gives back what it is asked, one turn of the microtask queue later. */
export const echoPort: RequestPort = {
  perform: async ({ name, input }): Promise<Outcome> =>
    name === 'fail'
      ? { status: 'failed', error: { code: 'TOOL_FAILED', message: 'It does not work.' } }
      : { status: 'ok', value: input },
}

export function runScript(
  source: string,
  options: MachineOptions & { signal?: AbortSignal | undefined } = {},
): Promise<VmResult> {
  const { signal, ...rest } = options
  return createMachine(compileScript(source), { port: echoPort, ...rest }).run(signal)
}
