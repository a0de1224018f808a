import type { Json, JsonObject } from '../core/index.ts'
import type { Expr, Position } from '../expr/index.ts'

/** One statement: `op` says what it does, the other fields are its input. */
export interface Step {
  readonly op: string
  /** The variable that takes the result. */
  readonly result?: string | undefined
  /** The variable cannot be set again. */
  readonly resultConst?: boolean | undefined
  readonly at?: Position | undefined
  readonly [field: string]: unknown
}

/** A function beside the program's steps, called by `callLocal`; it sees its own variables only. */
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
  /** What it means by calling tools and agents, `{ toolName, purpose, expectedOutcome, riskLevel }` each, where the mandate asks for intents. */
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
