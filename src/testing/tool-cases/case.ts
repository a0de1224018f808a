import type { Json } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Expectation } from '../test-api.ts'

/** A tool as it is handed to one case. */
interface OpenedTool {
  readonly tool: Tool
  /** What the outside world looks like to the tool's users: what it has stored, sent, counted. Plain data. */
  observe?(): unknown
  close?(): unknown
}

/** How a tool is made for the suite, fresh for every case, and what to feed it. */
export interface ToolSubject {
  readonly name: string
  open(): OpenedTool | Promise<OpenedTool>
  /** Inputs that it accepts and can carry out, at least one. */
  readonly valid: readonly Json[]
  /** Inputs that it must refuse, at least one unless it takes anything. */
  readonly invalid?: readonly Json[] | undefined
  /** An input with which it takes long, so that cutting it can be tried. */
  readonly slow?: Json | undefined
  /** How long a call that was cut may take to end; 2,000 ms when absent. */
  readonly patienceMs?: number | undefined
}

/** What one case needs besides the tool. */
export interface CaseWorld {
  readonly subject: ToolSubject
  readonly opened: OpenedTool
  readonly expect: (value: unknown) => Expectation
}

/** One promise that a tool makes. */
export interface ToolCase {
  readonly name: string
  /** Whether it can be tried with this subject; tried always when absent. */
  appliesTo?(subject: ToolSubject): boolean
  check(world: CaseWorld): Promise<void>
}
