import type { MandateEvent } from '../../core/index.ts'
import { failureIn } from './failure-event.ts'

export type AgentEventName = 'step' | 'tool' | 'error' | 'metrics'

/** What an event of an agent looks like to a listener. */
export type AgentEventListener = (event: MandateEvent) => unknown

/** Which events belong to a name. One filter serves one listener, because some have to remember what they saw. */
export function eventFilter(name: AgentEventName): (event: MandateEvent) => boolean {
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
    const { kind } = data as { kind?: string }
    if (kind !== 'tool' && kind !== 'agent') return false
    open.set(runId, (open.get(runId) ?? new Set()).add(key))
    return type !== 'approval-request'
  }
}
