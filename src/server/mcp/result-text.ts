import type { RunEventBus } from '../../journal/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { ServerContext } from './protocol.ts'

const LEVELS: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/**
 * Reports the progress of a run to the client that waits for its result. Progress that a tool reports as { progress, total?, message? } is passed on
 * unchanged; other steps count one each. A `log` event becomes a log message. Returns the function that stops the reports.
 */
export function tellProgress(events: RunEventBus, runId: string, { mcpReq }: ServerContext): () => void {
  // oxlint-disable-next-line no-underscore-dangle -- the protocol's own name
  const token = mcpReq._meta?.progressToken
  let last = -1
  const progress = (value: number, more: { readonly total?: number; readonly message?: string }): void => {
    // The protocol requires increasing values. A client that no longer listens must not fail the run.
    if (token === undefined || value <= last) return
    last = value
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken: token, progress: value, ...more } })
      .catch(() => {})
  }
  return events.onRun(runId, (event) => {
    if (event.type === 'log') return tellLog(event.data, mcpReq)
    const said = progressIn(event)
    if (said !== undefined) return progress(said.progress ?? last + 1, said)
  })
}

interface Said {
  readonly progress?: number
  readonly total?: number
  readonly message?: string
}

function progressIn({ type, data }: MandateEvent): Said | undefined {
  if (type === 'effect-start') return { message: `${data.kind} ${data.name}` }
  if (type !== 'tool-progress') return undefined
  const value = fieldsOf(fieldsOf(data)['value'] ?? null)
  const { progress, total, message } = value
  return {
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
}

function tellLog(data: Json, { log }: ServerContext['mcpReq']): void {
  const { level, ...rest } = fieldsOf(data)
  const text = rest['text']
  void log(
    LEVELS.includes(level) ? (level as 'info') : 'info',
    typeof text === 'string' ? text : data,
    'mandate',
  ).catch(() => {})
}

function fieldsOf(value: Json): { readonly [field: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
