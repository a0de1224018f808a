import { MandateError, canonical, sha256 } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import { systemMessage, textOf as messageText, toolCallsOf, userMessage } from '../../../model/index.ts'
import type { Message, Model, ModelReply, ModelRequest, ToolSpec } from '../../../model/index.ts'
import { INTENT_INSTRUCTIONS } from '../../../gate/index.ts'
import type { RunContext } from '../../../run/index.ts'
import { specOf } from '../../../tool/index.ts'
import type { Tool } from '../../../tool/index.ts'
import { valueOf } from '../graph-context.ts'
import type { NodeResult } from '../node-result.ts'
import { textFrom } from '../expressions.ts'
import { hasInput, inputOf, promptOf, textOf } from './node-task.ts'
import type { NodeTask } from './node-task.ts'

/** Makes one call of a model. Its text is the result; a conversation gets the whole reply. */
export async function askModel(task: NodeTask): Promise<NodeResult> {
  const { node, graph } = task
  const talk = talkOf(task)
  const prompt = promptOf(task)
  const isAsked = prompt !== undefined || hasInput(task) || talk.length === 0
  const asked = isAsked ? [userMessage(prompt ?? textFrom(inputOf(task)))] : []
  const reply = await callModel(task, [...talk, ...asked])
  const text = messageText(reply.message)
  const writesTalk = graph.channels.get(node.writes ?? '')?.kind === 'messages'
  return writesTalk ? { update: { [node.writes!]: named(task, reply.message) } } : { result: text }
}

/** Makes one turn of an agent whose tools are called by another node: leaves the calls in the conversation. */
export async function askTurn(task: NodeTask): Promise<NodeResult> {
  const channel = task.graph.conversation!
  const prompt = promptOf(task)
  const begin = prompt === undefined ? [] : [userMessage(prompt)]
  const reply = await callModel(task, [...begin, ...talkOf(task)])
  const isCalling = toolCallsOf(reply.message).length > 0
  const update = { [channel]: named(task, reply.message) }
  if (isCalling) return { update, label: 'tool_call' }
  return { update, result: messageText(reply.message), label: 'final' }
}

function talkOf({ graph, state }: NodeTask): readonly Message[] {
  return graph.conversation === undefined ? [] : ((state[graph.conversation] ?? []) as unknown as readonly Message[])
}

/** Messages of the graph have ids, so that people can replace them. */
function named({ activation: { key } }: NodeTask, message: Message): Json {
  return { id: key.slice('node:'.length), ...message }
}

async function callModel(task: NodeTask, messages: readonly Message[]): Promise<ModelReply> {
  const { node, graph, context } = task
  const { defaults = {} } = graph.blueprint
  const own = node.spec.system ?? defaults.system
  const instructions = (node.spec.tools ?? []).length > 0 && isIntentRequired(context) ? INTENT_INSTRUCTIONS : undefined
  const system = [own === undefined ? undefined : textOf(task, own), instructions].filter((text) => text !== undefined)
  const tools = (node.spec.tools ?? []).map((name) => specOf(toolNamed(task, name)))
  const model = modelFor(task)
  context.resources.models = new Map([...(context.resources.models ?? []), [model.id, model]])
  const carry: ModelRequest = {
    messages: [...(system.length === 0 ? [] : [systemMessage(system.join('\n\n'))]), ...messages],
    ...(tools.length === 0 ? {} : { tools }),
  }
  const input = requestInput(carry.messages, tools)
  const effect = { kind: 'model' as const, name: model.id, key: 'model', input, carry, origin: 'graph' }
  return valueOf(await context.perform(effect)) as unknown as ModelReply
}

/** Whether every tool call needs a declared intent, as pinned by the run. */
function isIntentRequired({ pins }: RunContext): boolean {
  return (pins as { readonly intent?: Json } | null)?.intent !== undefined
}

const hashes = new WeakMap<Message, string>()

/** The journaled part of a request: the conversation as its hash, so that its size is the same at step 1,000 as at step 1. */
function requestInput(messages: readonly Message[], tools: readonly ToolSpec[]): JsonObject {
  let hash = sha256(canonical(tools))
  const setup = hash
  for (const message of messages) {
    const own = hashes.get(message) ?? sha256(canonical(message))
    hashes.set(message, own)
    hash = sha256(hash + own)
  }
  return { setup, transcript: { count: messages.length, hash } }
}

/** The model that a node names, or the one of the graph. */
export function modelFor({ node, graph, context, names, registry }: NodeTask): Model {
  const name = node.spec.model ?? graph.blueprint.defaults?.model
  if (name === undefined)
    throw new MandateError('CONFIG_INVALID', `Node "${node.name}" names no model, and the graph has no default one.`)
  const model = context.resources.models?.get(name) ?? registry.models.get(names.find('model', name) ?? name)
  return model ?? registry.models.get(names.require('model', name))!
}

/** The tool of this name, or an error with the nearest name. */
export function toolNamed({ context, names, registry }: NodeTask, name: string): Tool {
  const own = context.resources.tools?.get(name)
  return own ?? registry.tools.get(names.require('tool', name))!
}
