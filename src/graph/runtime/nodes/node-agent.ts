import { agentHostOf, agentMind, readConfig } from '../../../agent/index.ts'
import { modelFor, toolNamed } from './model-nodes.ts'
import { textOf } from './node-task.ts'
import type { NodeTask } from './node-task.ts'

/** Registers the agent that a node describes by its model and its tools, under `<graph>.<node>`, and returns that name. */
export function nodeAgent(task: NodeTask): string {
  const { node, graph, registry } = task
  const { name, defaults = {} } = graph.blueprint
  const id = `${name}.${node.name}`
  const system = node.spec.system ?? defaults.system
  const spec = readConfig({
    id,
    model: modelFor(task),
    tools: (node.spec.tools ?? []).map((tool) => toolNamed(task, tool)),
    ...(system === undefined ? {} : { instructions: textOf(task, system) }),
  })
  registry.registerMind(agentMind(spec, agentHostOf(registry)), { override: true })
  return id
}
