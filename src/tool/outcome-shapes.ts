import { toolLater } from './later.ts'
import type { ToolContext } from './tool.ts'

type Run = (input: unknown, ctx: ToolContext) => unknown

/** What a connector's `run` gives. */
export interface ConnectorResult {
  readonly ok: boolean
  readonly output?: unknown
  readonly meta?: unknown
}

/** Whether a value is a connector's result. */
export function isConnectorResult(value: unknown): value is ConnectorResult {
  return typeof value === 'object' && value !== null && typeof (value as { ok?: unknown }).ok === 'boolean'
}

/** A connector says `{ ok, output, meta }`: the output is the result, `ok: false` is a failure, and `meta` goes to listeners. */
export function unwrapConnector(run: Run, name: string): Run {
  return async (input, ctx) => toolLater((later) => later.runConnector(() => run(input, ctx), name, ctx))
}

/** Some tools fail by returning text that begins with "Error"; only those that are marked so, since other text may well begin like that. */
export function failOnErrorText(run: Run, name: string): Run {
  return async (input, ctx) => toolLater((later) => later.runTelling(() => run(input, ctx), name, ctx))
}
