import { MandateError, failed, isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { blueprintHash } from '../../graph/index.ts'
import type { Drafts } from '../graphs/drafts.ts'
import { GRAPH_TOOLS } from '../graphs/graph-tools.ts'
import { userMessage } from '../../model/index.ts'
import { fieldsOf, textField } from './call-input.ts'
import { mergedLabels, partLabels } from './call-labels.ts'
import { notGranted } from './grants.ts'
import type { Grants } from './grants.ts'
import { oneEffect } from './planned-call.ts'
import type { PlannedCall } from './planned-call.ts'

/** Plans `tool_call({ tool, arguments?, structured? })`: returns the output of the tool and, if `structured`, also the text that a model would be shown. */
export function toolCall(input: Json, plan: (name: string, input: Json) => PlannedCall): PlannedCall {
  const fields = fieldsOf('tool_call', input, ['tool', 'arguments', 'structured'])
  const name = textField('tool_call', fields, 'tool')
  const call = plan(name, fields['arguments'] ?? {})
  return {
    ...call,
    perform: async (ask, labels) => {
      const outcome = await call.perform(ask, partLabels(labels, '/arguments'))
      if (outcome.status !== 'ok' || fields['structured'] !== true) return outcome
      const raw = outcome.value
      return { ...outcome, value: { content: typeof raw === 'string' ? raw : JSON.stringify(raw), raw } }
    },
  }
}

/** Plans `tools.<name>(input)`. */
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

/** Plans `tools.<name>(input)` for a program that was granted by name. */
export function programRun(name: string, input: Json): PlannedCall {
  const given = input ?? {}
  return {
    kind: 'program',
    name,
    isRun: true,
    perform: oneEffect(
      // The whole input is the argument, even if it has fields that look like options.
      (labels) => ({ kind: 'program', name, input: { $args: given }, labels: mergedLabels(labels) }),
      (output) => (output as { readonly result?: Json }).result ?? null,
    ),
    detail: () => ({ arguments: given }),
  }
}

/** Plans `agent_query({ agent, prompt?, input? })`: returns the answer of the agent. */
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

/** Extracts the answer from the output of an agent run. */
export function answerOf(output: Json): Json {
  if (!isRecord(output)) return output
  return output['result'] ?? output['text'] ?? null
}

interface GraphParts extends Grants {
  readonly drafts: Drafts
  /** Registers in this process a graph that was reviewed and registered in another one. */
  readonly restoreGraph: (graph: string) => Promise<void>
}

/** Plans `graph_run({ graph, input? })`: returns the output of the graph. */
export function graphRun(input: Json, parts: GraphParts): PlannedCall {
  const fields = fieldsOf('graph_run', input, ['graph', 'input'])
  const name = textField('graph_run', fields, 'graph')
  const given = fields['input'] ?? {}
  return {
    kind: 'graph',
    name,
    isRun: true,
    perform: async (ask, labels) => {
      await parts.restoreGraph(name)
      const refused = graphRefusal(name, parts)
      if (refused !== undefined) return failed('NOT_FOUND', refused)
      return ask({ kind: 'graph', name, input: given, labels: partLabels(labels, '/input') })
    },
    detail: () => ({ input: given }),
  }
}

/** Returns why a cell may not run a graph. A cell may run a graph that it defined itself and that was registered after a review. */
function graphRefusal(name: string, { drafts, ...grants }: GraphParts): string | undefined {
  const graph = grants.findGraph(name)
  const isReviewed = graph !== undefined && drafts.isReviewed(name, blueprintHash(graph))
  return isReviewed ? undefined : notGranted(grants, 'graph', name)
}
