import type { Json } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Expectation } from '../test-api.ts'

/** A tool that was opened for one case. */
interface OpenedTool {
  readonly tool: Tool
  /** Returns the state that the tool changes outside of itself, as plain data: what it has stored, sent, counted. */
  observe?(): unknown
  close?(): unknown
}

/** How a tool is made for the suite, anew for every case, and its test inputs. */
export interface ToolSubject {
  readonly name: string
  open(): OpenedTool | Promise<OpenedTool>
  /** Inputs that the tool accepts and can execute, at least one. */
  readonly valid: readonly Json[]
  /** Inputs that the tool must refuse, at least one unless it accepts anything. */
  readonly invalid?: readonly Json[] | undefined
  /** An input with which it takes long, to test cancellation. */
  readonly slow?: Json | undefined
  /** How long a cancelled call may take to end; 2,000 ms when absent. */
  readonly patienceMs?: number | undefined
}

/** What a case receives: the subject, the opened tool and `expect`. */
export interface CaseWorld {
  readonly subject: ToolSubject
  readonly opened: OpenedTool
  readonly expect: (value: unknown) => Expectation
}

/** A guarantee of a tool. */
export interface ToolCase {
  readonly name: string
  /** Whether it can be tested with this subject; always when absent. */
  appliesTo?(subject: ToolSubject): boolean
  check(world: CaseWorld): Promise<void>
}
