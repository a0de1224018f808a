import type { BusEvent } from '../../core/index.ts'
import type {
  ApprovalRequestData,
  EffectKind,
  EffectStartData,
  EventDataByType,
  MandateEvent,
} from '../../journal/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import { failureIn } from './failure-event.ts'

/** The request of a tool, by the names of the tools: `name` decides the type of `input`. */
export type ToolRequest<Request extends object, Tools extends ToolTypes> = {
  [N in keyof Tools & string]: Omit<Request, 'kind' | 'name' | 'input'> & {
    readonly kind: 'tool'
    readonly name: N
    readonly input: Tools[N]['input']
  }
}[keyof Tools & string]

/** A request of anything; where the tools of an agent are known, those of tools are told apart by `kind` and `name`. */
type TypedRequest<Request extends object, Tools extends ToolTypes> =
  | ToolRequest<Request, Tools>
  | (Omit<Request, 'kind'> & { readonly kind: Exclude<EffectKind, 'tool'> })

type Requests = 'effect-start' | 'approval-request'

/**
 * What happens in a run of an agent. In `effect-start` and `approval-request` the input of a tool has the tool's type once `data.kind` is `'tool'` and
 * `data.name` is compared. An `effect-decide` may tell of an input that did not fit, so its input is JSON.
 */
export type AgentEvent<Tools extends ToolTypes = AnyTools> = string extends keyof Tools
  ? MandateEvent
  :
      | MandateEvent<Exclude<keyof EventDataByType, Requests>>
      | BusEvent<'effect-start', TypedRequest<EffectStartData, Tools>>
      | BusEvent<'approval-request', TypedRequest<ApprovalRequestData, Tools>>

/** The events that an agent's listeners get, by the name they listen to. */
interface AgentEvents<Tools extends ToolTypes = AnyTools> {
  readonly step: MandateEvent<'step-start'>
  readonly tool: Extract<AgentEvent<Tools>, { readonly type: 'effect-decide' | 'effect-start' | 'effect-end' }>
  readonly error: MandateEvent<'effect-end' | 'run-end'>
  readonly metrics: MandateEvent<'run-end'>
}

export type AgentEventName = keyof AgentEvents

/** What an event of an agent looks like to a listener. */
export type AgentEventListener<N extends AgentEventName = AgentEventName, Tools extends ToolTypes = AnyTools> = (
  event: AgentEvents<Tools>[N],
) => unknown

/** Which events belong to a name. One filter serves one listener, because some have to remember what they saw. */
export function eventFilter<N extends AgentEventName, Tools extends ToolTypes = AnyTools>(
  name: N,
): (event: MandateEvent) => AgentEvents<Tools>[N] | undefined {
  const concerns = filterOf(name)
  return (event) => (concerns(event) ? (event as AgentEvents<Tools>[N]) : undefined)
}

function filterOf(name: AgentEventName): (event: MandateEvent) => boolean {
  switch (name) {
    case 'step':
      return ({ type }) => type === 'step-start'
    case 'tool':
      return toolFilter()
    case 'error':
      return (event) => failureIn(event) !== undefined
    case 'metrics':
      return ({ type }) => type === 'run-end'
  }
}

/** Calls of tools and of other agents: what was decided against them, when they start, how they end. An end does not say of what, so beginnings are kept. */
function toolFilter(): (event: MandateEvent) => boolean {
  const open = new Map<string, Set<string>>()
  return ({ type, runId, key, data }) => {
    if (type === 'run-end' || type === 'run-suspend') open.delete(runId)
    if (key === undefined) return false
    if (type === 'effect-end') return open.get(runId)?.delete(key) === true
    if (type !== 'effect-start' && type !== 'effect-decide' && type !== 'approval-request') return false
    const { kind } = data
    if (kind !== 'tool' && kind !== 'agent') return false
    open.set(runId, (open.get(runId) ?? new Set()).add(key))
    return type !== 'approval-request'
  }
}
