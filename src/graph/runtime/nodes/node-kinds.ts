import { MandateError, toPlain } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { NodeKind } from '../../blueprint/blueprint.ts'
import type { CompiledNode } from '../compiled-graph.ts'
import { nodeAgent } from './node-agent.ts'
import { runAgent, runCells, runProgram, runSubgraph } from './child-nodes.ts'
import { callFunction, resultFrom } from './code-node.ts'
import type { NodeFunction } from './code-node.ts'
import { askModel, askTurn } from './model-nodes.ts'
import type { NodeTask, NodeWork } from './node-task.ts'
import { askNode } from './person-node.ts'
import { callTool, callTools } from './tool-nodes.ts'

const WORK: { readonly [K in NodeKind]: NodeWork } = {
  model: askModel,
  agent: runAgentNode,
  subagent: runAgentNode,
  tool_executor: callTools,
  tool: callTool,
  router: askRouter,
  subgraph: runSubgraph,
  program: runProgram,
  repl_agent: runCells,
  interrupt: askNode,
  join: async () => ({}),
  code: () => Promise.reject(new MandateError('INTERNAL', 'A node of kind `code` has a function.')),
}

/** The work of a node. `own` is its function, if it has one. */
export function workOf({ spec, name }: CompiledNode, own: NodeFunction | undefined): NodeWork {
  if (own !== undefined) return (task) => callFunction(task, own)
  const work = WORK[spec.kind]
  return async (task) => {
    const result = await work(task)
    const output = task.functions.given?.(name)?.output
    if (output === undefined || result.result === undefined) return result
    const { update, ...rest } = resultFrom(output(result.result, task.state), name)
    return { ...result, ...rest, update: { ...result.update, ...update } }
  }
}

/** Whether another node performs the tool calls of an agent. */
function leavesCalls({ spec }: CompiledNode): boolean {
  return spec.agent === undefined && spec.routes?.some(({ label }) => label === 'tool_call') === true
}

function runAgentNode(task: NodeTask): ReturnType<NodeWork> {
  const { node } = task
  if (node.spec.agent !== undefined) return runAgent(task, node.spec.agent)
  return leavesCalls(node) ? askTurn(task) : runAgent(task, nodeAgent(task))
}

async function askRouter({ node, functions, state }: NodeTask): ReturnType<NodeWork> {
  const name = node.spec.router
  // A router node without a router just follows its routes.
  if (name === undefined) return {}
  const route = functions.router(name)
  if (route === undefined)
    throw new MandateError('NOT_FOUND', `Node "${node.name}" names the router "${name}", which is not registered.`)
  return { result: toPlain(await route(state, null)).value satisfies Json }
}
