import type { Json } from '../../core/index.ts'
import { specOf } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { AiSdkSchema, AiSdkTool, AiSdkToolSet } from './agent-shapes.ts'

/** What other agents are called with: their task, in words. */
const TASK = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] }

/** The tools of an agent as the AI SDK wants to know them, to recognise what clients send back. Agents it may hand work to are among them. */
export function toolSetOf(tools: readonly Tool[], agents: readonly string[]): AiSdkToolSet {
  const own = tools
    .map(specOf)
    .map(({ name, description, inputSchema }) => [name, toolOf(inputSchema, description)] as const)
  const others = agents.map((name) => [name, toolOf(TASK)] as const)
  return Object.fromEntries([...others, ...own])
}

/**
 * Takes anything: what comes back from a client is history, and a call that was refused because its input did not fit is a part of it.
 * What is going to run is checked by the gate, and is never taken from a client.
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
