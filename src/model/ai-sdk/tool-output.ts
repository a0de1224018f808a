import type { ToolResultPart } from '../message.ts'
import { resultContent } from '../result-content.ts'
import { type Recipient, contentOutput } from './result-media.ts'

/** What a provider is told about a tool call. Only v2 has no word for a refusal. */
export function toolOutput(result: ToolResultPart, recipient: Recipient): object {
  const { status, text, value } = result
  const { version } = recipient
  const content = result.providerExecuted === true ? undefined : resultContent(result)
  if (content !== undefined) return contentOutput(content, recipient)
  const said = text ?? (typeof value === 'string' ? value : undefined)
  if (status === 'denied' && version !== 'v2' && said !== undefined) return { type: 'execution-denied', reason: said }
  // A result the provider made itself is read back by its own code, which knows failures by the form they came in.
  if (status === 'error' && result.providerExecuted === true) return { type: 'error-json', value }
  const form = said === undefined ? 'json' : 'text'
  return { type: status === 'ok' ? form : `error-${form}`, value: said ?? value }
}
