import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { MandateError, nearest } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Tool } from '../../tool/index.ts'

/** An agent of the project whose tools cells can call, under its mandate. */
export interface CellAgent {
  readonly id: string
  readonly tools: readonly Tool[]
  readonly mandate: Mandate | undefined
}

/** Returns the agent that cells act for: the named one or, in a project whose only tools are those of its only agent, that agent. */
export function cellAgent(service: AgentService, named: string | undefined): CellAgent | undefined {
  const { registry } = kernelOf(service)
  const names = registry.mindNames('agent')
  if (named !== undefined && !names.includes(named)) throw unknownAgent(named, names)
  const id = named ?? (names.length === 1 && registry.tools.size === 0 ? names[0] : undefined)
  if (id === undefined) return undefined
  const { resources, mandate } = registry.requireMind('agent', id)
  return { id, tools: [...(resources?.tools?.values() ?? [])], mandate }
}

function unknownAgent(named: string, names: readonly string[]): MandateError {
  const near = nearest(named, names)
  const hint = near === undefined ? `The project has ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`
  return new MandateError('NOT_FOUND', `There is no agent "${named}" in this project. ${hint}`)
}
