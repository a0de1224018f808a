import { defineService } from 'mandate'
import type { AgentService } from 'mandate'
import { graphRegistry } from 'mandate/graph'
import { model } from './src/model.ts'
import { publish } from './src/publish.ts'

export default defineService({
  tools: [publish],
  mandate: { allow: ['publish'], budget: { toolCalls: 10 } },
})

/** Registers what graphs name. Every command calls it with the service that it makes. */
export function setup(service: AgentService): void {
  graphRegistry(service).registerModel('writer', model)
}
