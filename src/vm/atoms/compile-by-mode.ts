import type { JsonObject } from '../../core/index.ts'
import { programBuiltins, scriptBuiltins } from '../builtins/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled, CompileOptions } from '../compile/compile.ts'
import { CORE } from '../compile/core.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import { withLabels } from '../labels/index.ts'
import { MEMO_ATOMS } from './memo-atoms.ts'

interface ModeOptions extends CompileOptions {
  /** Only runs whose mandate has rules about labels need them tracked. */
  readonly followsLabels: boolean
}

/** Compiles a program with the language and the built-ins of its mode: script or JSON. */
export function compileByMode(program: JsonObject, options: ModeOptions): Compiled {
  const { followsLabels, ...rest } = options
  const isScript = program['mode'] === 'script'
  const base = isScript ? scriptLanguage : CORE
  const language = followsLabels ? withLabels(base) : base
  // The cost of a statement in a script follows from its expressions, so there is nothing to override.
  if (isScript) return compileProgram(program, { ...rest, language, builtins: scriptBuiltins, costs: undefined })
  // `memoize` and `cache` are lowered to other steps, which atoms of the host must not replace.
  const atoms = new Map([...MEMO_ATOMS.map((spec) => [spec.op, spec] as const), ...(options.atoms ?? [])])
  return compileProgram(program, { ...rest, language, atoms, builtins: programBuiltins })
}
