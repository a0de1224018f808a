import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { userMessage } from '../../model/index.ts'
import { fieldsOf, textField } from './call-input.ts'
import { mergedLabels, partLabels } from './call-labels.ts'
import type { PlannedCall } from './planned-call.ts'

/** `tool_call({ tool, arguments? })`: what the tool gives. */
export function toolCall(input: Json): PlannedCall {
  const fields = fieldsOf('tool_call', input, ['tool', 'arguments'])
  return {
    ...plainTool(textField('tool_call', fields, 'tool'), fields['arguments'] ?? {}),
    effect: (labels) => toolEffect(fields, partLabels(labels, '/arguments')),
  }
}

function toolEffect(fields: JsonObject, labels: ReturnType<typeof partLabels>): ReturnType<PlannedCall['effect']> {
  return { kind: 'tool', name: fields['tool'] as string, input: fields['arguments'] ?? {}, labels }
}

/** `tools.<name>(input)`. */
export function plainTool(name: string, input: Json): PlannedCall {
  const given = input ?? {}
  return {
    kind: 'tool',
    name,
    effect: (labels) => ({ kind: 'tool', name, input: given, labels }),
    value: (value) => value,
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
  const context = data === undefined ? null : data
  return {
    kind: 'agent',
    name,
    isRun: true,
    effect: (labels) => ({
      kind: 'agent',
      name,
      input: { prompt: userMessage(text), history: [], context },
      labels: mergedLabels(labels),
    }),
    value: answerOf,
    detail: (value) => ({ chars: typeof value === 'string' ? value.length : JSON.stringify(value).length }),
  }
}

function answerOf(output: Json): Json {
  if (!isRecord(output)) return output
  return output['result'] ?? output['text'] ?? null
}

/** `graph_run({ graph, input? })`: what the graph gives. */
export function graphRun(input: Json): PlannedCall {
  const fields = fieldsOf('graph_run', input, ['graph', 'input'])
  const name = textField('graph_run', fields, 'graph')
  return {
    kind: 'graph',
    name,
    isRun: true,
    effect: (labels) => ({ kind: 'graph', name, input: fields['input'] ?? {}, labels: partLabels(labels, '/input') }),
    value: (value) => value,
    detail: () => ({ input: fields['input'] ?? {} }),
  }
}
