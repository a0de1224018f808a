import type { JsonObject } from '../../core/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled, CompileOptions } from '../compile/compile.ts'
import { CORE } from '../compile/core.ts'
import type { Language } from '../compile/language.ts'
import { REMEMBERING } from './memo-atoms.ts'

interface WholeOptions extends CompileOptions {
  readonly followsLabels: boolean
}

/**
 * Compiles a program with the whole machine. What a program means must not depend on what else stands in it, so nothing is
 * left out because a program seems not to need it.
 */
export async function compileWhole(program: JsonObject, options: WholeOptions): Promise<Compiled> {
  const { followsLabels, ...rest } = options
  // Only runs whose mandate has rules about labels need them followed.
  const family = followsLabels ? (await import('../labels/index.ts')).withLabels : undefined
  if (program['mode'] === 'script') {
    const { compileScript } = await import('./script-parts.ts')
    // Statements of scripts cost what is in them.
    return compileScript(program, { ...rest, costs: undefined }, family)
  }
  return compileJson(program, rest, family)
}

function compileJson(
  program: JsonObject,
  options: CompileOptions,
  family: ((base?: Language) => Language) | undefined,
): Compiled {
  // `memoize` and `cache` are written with other steps, which the atoms of the host must not hide.
  const atoms = new Map([...REMEMBERING.map((spec) => [spec.op, spec] as const), ...(options.atoms ?? [])])
  return compileProgram(program, { ...options, atoms, builtins: scriptBuiltins, language: family?.() ?? CORE })
}
