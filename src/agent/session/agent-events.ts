import { MandateError, unknownField } from '../../core/index.ts'
import type { BusEvent, FieldNames } from '../../core/index.ts'
import type {
  ApprovalRequestData,
  EffectKind,
  EffectStartData,
  EventDataByType,
  MandateEvent,
} from '../../journal/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import { failuresOnce } from './failure-event.ts'
import { CALLS } from '../config/callable.ts'

/** The request of a tool, as a union by name: `name` determines the type of `input`. */
export type ToolRequest<Request extends object, Tools extends ToolTypes> = {
  [N in keyof Tools & string]: Omit<Request, 'kind' | 'name' | 'input'> & {
    readonly kind: 'tool'
    readonly name: N
    readonly input: Tools[N]['input']
  }
}[keyof Tools & string]

/** A request of any kind; if the tools of an agent are known, those of tools are distinguished by `kind` and `name`. */
type TypedRequest<Request extends object, Tools extends ToolTypes> =
  | ToolRequest<Request, Tools>
  | (Omit<Request, 'kind'> & { readonly kind: Exclude<EffectKind, 'tool'> })

type Requests = 'effect-start' | 'approval-request'

/**
 * An event of an agent's run. In `effect-start` and `approval-request` the input of a tool has the tool's type once `data.kind` is `'tool'` and
 * `data.name` is compared. The input of an `effect-decide` may be invalid, so its type is JSON.
 */
export type AgentEvent<Tools extends ToolTypes = AnyTools> = string extends keyof Tools
  ? MandateEvent
  :
      | MandateEvent<Exclude<keyof EventDataByType, Requests>>
      | BusEvent<'effect-start', TypedRequest<EffectStartData, Tools>>
      | BusEvent<'approval-request', TypedRequest<ApprovalRequestData, Tools>>

/** The events of an agent's listeners, by the name of the subscription. */
interface AgentEvents<Tools extends ToolTypes = AnyTools> {
  readonly step: MandateEvent<'step-start'>
  readonly tool: Extract<AgentEvent<Tools>, { readonly type: 'effect-decide' | 'effect-start' | 'effect-end' }>
  readonly error: MandateEvent<'effect-end' | 'run-end' | 'handler-error'>
  readonly metrics: MandateEvent<'run-end'>
}

export type AgentEventName = keyof AgentEvents

/** The listener of a named event. */
export type AgentEventListener<N extends AgentEventName = AgentEventName, Tools extends ToolTypes = AnyTools> = (
  event: AgentEvents<Tools>[N],
) => unknown

/** The events that belong to a name. Each listener has its own filter, because some filters have state. */
export function eventFilter<N extends AgentEventName, Tools extends ToolTypes = AnyTools>(
  name: N,
): (event: MandateEvent) => AgentEvents<Tools>[N] | undefined {
  const concerns = filterOf(name)
  return (event) => (concerns(event) ? (event as AgentEvents<Tools>[N]) : undefined)
}

const NAMES = Object.keys({ step: true, tool: true, error: true, metrics: true } satisfies FieldNames<AgentEvents>)

function filterOf(name: AgentEventName): (event: MandateEvent) => boolean {
  switch (name) {
    case 'step':
      return ({ type }) => type === 'step-start'
    case 'tool':
      return toolFilter()
    case 'error': {
      const failureOf = failuresOnce()
      return (event) => failureOf(event) !== undefined
    }
    case 'metrics':
      return ({ type }) => type === 'run-end'
    default:
      throw new MandateError('CONFIG_INVALID', unknownField(String(name), 'an event of an agent', NAMES))
  }
}

/**
 * Creates the filter for calls of tools, other agents, graphs and programs: their denials, starts and ends. An end contains only the key of its call, so the
 * keys of starts are kept.
 */
function toolFilter(): (event: MandateEvent) => boolean {
  const open = new Map<string, Set<string>>()
  return ({ type, runId, key, data }) => {
    if (type === 'run-end' || type === 'run-suspend') open.delete(runId)
    if (key === undefined) return false
    if (type === 'effect-end') return open.get(runId)?.delete(key) === true
    if (type !== 'effect-start' && type !== 'effect-decide' && type !== 'approval-request') return false
    const { kind } = data
    if (!CALLS.has(kind)) return false
    open.set(runId, (open.get(runId) ?? new Set()).add(key))
    return type !== 'approval-request'
  }
}
