import type { Json } from '../../core/index.ts'
import { specOf } from '../../tool/index.ts'
import { callableNames } from '../config/callable.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { AiSdkSchema, AiSdkTool, AiSdkToolSet } from './agent-shapes.ts'

/** The input of other agents: their task, as text. */
const TASK = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] }

/** The input of graphs and programs, which is known only when a run begins. */
const ANY = { type: 'object' }

/**
 * Returns the tools of an agent in the form of the AI SDK, which needs them to recognise the calls that clients send back. Includes the agents, graphs and
 * programs that the agent may call.
 */
export function toolSetOf(spec: AgentSpec): AiSdkToolSet {
  const own = spec.tools
    .map(specOf)
    .map(({ name, description, inputSchema }) => [name, toolOf(inputSchema, description)] as const)
  const minds = new Set([...spec.graphs, ...spec.programs])
  const others = callableNames(spec).map((name) => [name, toolOf(minds.has(name) ? ANY : TASK)] as const)
  return Object.fromEntries([...others, ...own])
}

/**
 * Accepts any input: what a client sends back is history, which may include a call that was refused for its input. Calls that are performed are
 * validated by the gate and never taken from a client.
 */
function toolOf(schema: Json, description?: string): AiSdkTool {
  const tool = { inputSchema: anyOf(schema), outputSchema: anyOf(true) }
  return description === undefined ? tool : { ...tool, description }
}

function anyOf(schema: Json): AiSdkSchema {
  const shown = (): Record<string, unknown> => structuredClone(schema) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'mandate',
      validate: (value) => ({ value }),
      jsonSchema: { input: shown, output: shown },
    },
  }
}
