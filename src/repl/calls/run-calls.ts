import { MandateError, isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { GRAPH_TOOLS } from '../graphs/graph-tools.ts'
import { userMessage } from '../../model/index.ts'
import { fieldsOf, textField } from './call-input.ts'
import { mergedLabels, partLabels } from './call-labels.ts'
import { oneEffect } from './planned-call.ts'
import type { PlannedCall } from './planned-call.ts'

/** `tool_call({ tool, arguments? })`: what the tool gives. */
export function toolCall(input: Json): PlannedCall {
  const fields = fieldsOf('tool_call', input, ['tool', 'arguments'])
  const name = textField('tool_call', fields, 'tool')
  const call = plainTool(name, fields['arguments'] ?? {})
  return { ...call, perform: (ask, labels) => call.perform(ask, partLabels(labels, '/arguments')) }
}

/** `tools.<name>(input)`. */
export function plainTool(name: string, input: Json): PlannedCall {
  if (GRAPH_TOOLS.has(name)) throw new MandateError('TOOL_UNKNOWN', `${name} is a function: call ${name}(…).`)
  const given = input ?? {}
  return {
    kind: 'tool',
    name,
    perform: oneEffect((labels) => ({ kind: 'tool', name, input: given, labels })),
    detail: () => ({ arguments: given }),
  }
}

/** `agent_query({ agent, prompt?, input? })`: the answer of the agent. */
export function agentQuery(input: Json): PlannedCall {
  const fields = fieldsOf('agent_query', input, ['agent', 'prompt', 'input'])
  const name = textField('agent_query', fields, 'agent')
  const { prompt, input: data } = fields
  const text =
    typeof prompt === 'string' ? prompt : typeof data === 'string' ? data : JSON.stringify(prompt ?? data ?? '')
  const given = { prompt: userMessage(text), history: [], context: data === undefined ? null : data }
  return {
    kind: 'agent',
    name,
    isRun: true,
    perform: oneEffect((labels) => ({ kind: 'agent', name, input: given, labels: mergedLabels(labels) }), answerOf),
    detail: (value) => ({ chars: typeof value === 'string' ? value.length : JSON.stringify(value).length }),
  }
}

/** The answer in what the run of an agent gave. */
export function answerOf(output: Json): Json {
  if (!isRecord(output)) return output
  return output['result'] ?? output['text'] ?? null
}

/** `graph_run({ graph, input? })`: what the graph gives. */
export function graphRun(input: Json, restore: (graph: string) => Promise<void>): PlannedCall {
  const fields = fieldsOf('graph_run', input, ['graph', 'input'])
  const name = textField('graph_run', fields, 'graph')
  const given = fields['input'] ?? {}
  return {
    kind: 'graph',
    name,
    isRun: true,
    perform: async (ask, labels) => {
      await restore(name)
      return ask({ kind: 'graph', name, input: given, labels: partLabels(labels, '/input') })
    },
    detail: () => ({ input: given }),
  }
}
