import { MandateError, messageOf, toPlain } from '../core/index.ts'
import { settleResult } from './result.ts'
import type { ToolContext } from './tool.ts'

type Run = (input: unknown, ctx: ToolContext) => unknown

/** The result of a connector's `run`. */
interface ConnectorResult {
  readonly ok: boolean
  readonly output?: unknown
  readonly meta?: unknown
}

/** Whether a value is a connector's result. */
export function isConnectorResult(value: unknown): value is ConnectorResult {
  return typeof value === 'object' && value !== null && typeof (value as { ok?: unknown }).ok === 'boolean'
}

/** Converts a connector's `{ ok, output, meta }`: the output is the result, `ok: false` is a failure, and `meta` is emitted to listeners. */
export function unwrapConnector(run: Run, name: string): Run {
  return async (input, ctx) => runConnector(() => run(input, ctx), name, ctx)
}

/** Converts texts that begin with "Error" to failures; only for tools that are marked so, since other texts may begin like that. */
export function failOnErrorText(run: Run, name: string): Run {
  return async (input, ctx) => runTelling(() => run(input, ctx), name, ctx)
}

/** Runs a connector and returns its output, or throws its error. */
async function runConnector(run: () => unknown, name: string, ctx: ToolContext): Promise<unknown> {
  const result = await settleResult(run(), (value) => ctx.emit('tool-progress', toPlain(value).value))
  if (!isConnectorResult(result)) {
    throw new MandateError(
      'CONNECTOR_FAILED',
      `The connector "${name}" returned no { ok, output }. Return both from its \`run\`.`,
    )
  }
  if (result.meta !== undefined) ctx.emit('tool-meta', toPlain(result.meta).value)
  if (result.ok) return result.output
  throw new MandateError('CONNECTOR_FAILED', failureText(result.output, name), {
    info: toPlain({ output: result.output, meta: result.meta }).value,
  })
}

/** Runs a tool that returns its failures as texts. */
async function runTelling(run: () => unknown, name: string, ctx: ToolContext): Promise<unknown> {
  const result = await settleResult(run(), (value) => ctx.emit('tool-progress', toPlain(value).value))
  if (typeof result !== 'string' || !/^Error\b/.test(result)) return result
  throw new MandateError('TOOL_FAILED', result, { info: { tool: name } })
}

function failureText(output: unknown, name: string): string {
  if (typeof output === 'string' && output !== '') return output
  if (output instanceof Error) return messageOf(output)
  const { value } = toPlain(output)
  const message = typeof value === 'object' && value !== null && 'message' in value ? value['message'] : undefined
  return typeof message === 'string' ? message : `The connector "${name}" failed: ${JSON.stringify(value)}`
}
