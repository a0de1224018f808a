import { DIRECTION, sha256 } from '../../core/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled } from '../compile/compile.ts'
import type { SharedScope } from '../compile/lower/shared-scope.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import { withLabels } from '../labels/index.ts'
import { DEFAULT_VM_LIMITS } from '../meter/limits.ts'
import type { CapabilityTree } from '../port.ts'
import { cellBody } from '../script/cell-body.ts'
import { Lines } from '../script/lines.ts'
import { refusedProblem } from '../script/problem.ts'
import { StatementLowering } from '../script/statement-lowering.ts'
import { StatementParser } from '../script/parser/statement-parser.ts'
import type { Code } from '../value/guest-function.ts'
import { cellFunctions } from './cell-functions.ts'

/** The source data of a cell, from which its functions can be compiled again in another process. */
export type CellSource = {
  readonly source: string
  /** The shared variables that it uses or declares, and how they were declared. */
  readonly names: readonly (readonly [name: string, kind: string])[]
  /** Host functions, by the name of the global that holds them or is one. */
  readonly functions: CapabilityTree
  readonly calls: readonly string[]
}

/** A compiled cell with the hash of its source data. */
export interface CellProgram {
  readonly hash: string
  readonly from: CellSource
  readonly compiled: Compiled
}

interface CellOptions {
  readonly shared: SharedScope
  /** Asynchronous functions of the host. */
  readonly functions: CapabilityTree
  /** Synchronous functions of the host. */
  readonly calls: readonly string[]
  readonly followsLabels: boolean
  /** The known hash, for a cell that is compiled again. */
  readonly hash?: string | undefined
}

const homes = new WeakMap<Code, string>()

/** The hash of the program that a function belongs to. */
export function programOf(code: Code): string {
  return homes.get(code)!
}

/** Parses and compiles a cell. Throws `INPUT_INVALID` with line and column if it cannot be parsed. */
export function compileCell(source: string, options: CellOptions): CellProgram {
  const turn = source.search(DIRECTION)
  if (turn >= 0) throw refusedProblem(source, turn, 'bidi')
  const depth = DEFAULT_VM_LIMITS.expressionDepth
  const body = new StatementParser(source, depth).program()
  const steps = new StatementLowering(source, new Lines(source), depth).script(cellBody(body))
  const { shared, functions, calls, followsLabels } = options
  const compiled = compileProgram(
    { mandate: 1, op: 'seq', mode: 'script', steps },
    {
      language: followsLabels ? withLabels(scriptLanguage) : scriptLanguage,
      builtins: scriptBuiltins,
      capabilities: functions,
      globals: cellFunctions(calls),
      isOurs: true,
      shared,
    },
  )
  const used = [...new Set([...compiled.captured, ...compiled.declared.keys()])]
  const names = used.map((name) => [name, compiled.declared.get(name) ?? shared.variable(name).kind] as const)
  const from = { source, names, functions, calls }
  // A cell without functions never has to be compiled again.
  const hash = options.hash ?? (compiled.codes.length > 1 ? sha256(JSON.stringify(from)).slice(0, 32) : '')
  for (const code of compiled.codes) homes.set(code, hash)
  return { hash, from, compiled }
}
