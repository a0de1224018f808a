import type { JsonObject } from '../../core/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled, CompileOptions } from '../compile/compile.ts'
import type { Language } from '../compile/language.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import { joinTables } from '../door.ts'
import { promiseBuiltins } from '../machine/promises/promise-builtins.ts'

const builtins = joinTables(scriptBuiltins, promiseBuiltins)

/** Compiles a script. This file holds together what only scripts need, so that it can be loaded apart. */
export function compileScript(
  program: JsonObject,
  options: CompileOptions,
  family: ((base: Language) => Language) | undefined,
): Compiled {
  const language = family === undefined ? scriptLanguage : family(scriptLanguage)
  return compileProgram(program, { ...options, language, builtins })
}
