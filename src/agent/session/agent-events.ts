import type { MandateEvent } from '../../journal/index.ts'
import { failureIn } from './failure-event.ts'

/** The events that an agent's listeners get, by the name they listen to. */
export interface AgentEvents {
  readonly step: MandateEvent<'step-start'>
  readonly tool: MandateEvent<'effect-decide' | 'effect-start' | 'effect-end'>
  readonly error: MandateEvent<'effect-end' | 'run-end'>
  readonly metrics: MandateEvent<'run-end'>
}

export type AgentEventName = keyof AgentEvents

/** What an event of an agent looks like to a listener. */
export type AgentEventListener<N extends AgentEventName = AgentEventName> = (event: AgentEvents[N]) => unknown

/** Which events belong to a name. One filter serves one listener, because some have to remember what they saw. */
export function eventFilter<N extends AgentEventName>(name: N): (event: MandateEvent) => event is AgentEvents[N] {
  const concerns = filterOf(name)
  return (event): event is AgentEvents[N] => concerns(event)
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
