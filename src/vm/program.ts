import type { Json, JsonObject } from '../core/index.ts'
import type { Expr, Position } from '../expr/index.ts'

/** One statement: `op` is the operation, the other fields are its input. */
export interface Step {
  readonly op: string
  /** The variable that receives the result. */
  readonly result?: string | undefined
  /** The variable cannot be set again. */
  readonly resultConst?: boolean | undefined
  readonly at?: Position | undefined
  readonly [field: string]: unknown
}

/** A helper function of a program, called by `callLocal`. It can access only its own variables. */
interface ProgramFunction {
  readonly params: readonly string[]
  readonly steps: readonly Step[]
}

/** A program as it is stored and sent. */
export interface Program {
  readonly mandate: 1
  readonly op: 'seq'
  /** Written by the script front end: names have block scope, missing names are errors, operators are JavaScript's. */
  readonly mode?: 'script' | undefined
  readonly name?: string | undefined
  readonly inputSchema?: JsonObject | undefined
  readonly outputSchema?: JsonObject | undefined
  /** Intents of its calls of tools and agents, `{ toolName, purpose, expectedOutcome, riskLevel }` each, for mandates that require intents. */
  readonly intents?: readonly Json[] | undefined
  readonly helpers?: Readonly<Record<string, ProgramFunction>> | undefined
  readonly steps: readonly Step[]
}

/** A parameter of a script function. Patterns are lowered by the front end: a plain name here, declarations at the start of the body. */
export interface Parameter {
  readonly name: string
  readonly default?: Expr | undefined
  readonly rest?: boolean | undefined
}
