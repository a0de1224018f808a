import { checkName, type Clock, MandateError, systemClock, checkFields, type FieldNames } from '../core/index.ts'
import { type Message, textOf } from './message.ts'
import { checkCapabilities } from './model.ts'
import type { Model, ModelCapabilities, ModelRequest } from './model.ts'
import { play } from './script-play.ts'
import type { ScriptedMoment, ScriptedStep } from './script.ts'

interface ScriptedOptions {
  /** The model part of the id; `scripted/<name>`. */
  readonly name?: string | undefined
  readonly capabilities?: ModelCapabilities | undefined
  /** `transcript` (default): the next reply follows from the request alone. `call`: the first call gets the first item, and so on. */
  readonly by?: 'transcript' | 'call' | undefined
  /** For `delayMs`. */
  readonly clock?: Clock | undefined
}

const SCRIPTED_OPTIONS: FieldNames<ScriptedOptions> = {
  name: 'text',
  capabilities: 'object',
  by: true,
  clock: 'object',
}

export interface ScriptedModel extends Model {
  /** All requests so far, in the order of the calls. */
  readonly requests: readonly ModelRequest[]
}

/**
 * A model that replies by a script: for tests, examples and demonstrations.
 *
 * The next reply follows from the request: its index is the number of replies that the conversation already has. So a run that is resumed in another
 * process continues at the right place, a repeated call gets the same answer, and a shortened history changes nothing (each reply has its position in
 * its provider metadata). Failures and hangs are no replies: those before a reply are the results of its first attempts, so `[{ error: 'busy',
 * retriable: true }, 'Hello.']` fails once and then replies.
 *
 * @example
 * ```ts
 * import { scripted } from 'mandate/model'
 * const model = scripted([
 *   { text: 'I look it up.', toolCalls: [{ name: 'kv_get', input: { key: 'a' } }] },
 *   (request) => `There are ${request.messages.length} messages now.`,
 * ])
 * ```
 */
export function scripted(script: readonly ScriptedStep[] | ScriptedStep, options: ScriptedOptions = {}): ScriptedModel {
  checkFields(options, 'an option of `scripted`', SCRIPTED_OPTIONS)
  checkCapabilities(options.capabilities)
  const modelId = options.name === undefined ? 'model' : checkName(options.name, 'The `name` of a scripted model')
  const requests: ModelRequest[] = []
  const groups = Array.isArray(script) ? groupByReply(script as readonly ScriptedStep[]) : undefined
  const choose = (request: ModelRequest, moment: ScriptedMoment): ScriptedStep => {
    if (groups === undefined) return script as ScriptedStep
    if (options.by === 'call')
      return (script as readonly ScriptedStep[])[moment.position] ?? pastEnd(modelId, script, moment, request)
    const group = groups[moment.position] ?? pastEnd(modelId, script, moment, request)
    return group[Math.min(moment.attempt, group.length) - 1]!
  }
  return {
    id: `scripted/${modelId}`,
    provider: 'scripted',
    modelId,
    capabilities: options.capabilities ?? { tools: true, streaming: true },
    requests,
    async *stream(request, call) {
      const position = options.by === 'call' ? requests.length : positionIn(request.messages)
      requests.push(request)
      const moment = { position, attempt: call.attempt }
      const step = choose(request, moment)
      const item = typeof step === 'function' ? await step(request, moment) : step
      yield* play(typeof item === 'string' ? { text: item } : item, {
        request,
        call,
        position,
        clock: options.clock ?? systemClock,
      })
    },
  }
}

/** A reply and the failures before it. Failures at the end are a group of their own, whose last item repeats. */
function groupByReply(script: readonly ScriptedStep[]): readonly (readonly ScriptedStep[])[] {
  const groups: ScriptedStep[][] = []
  let group: ScriptedStep[] = []
  for (const step of script) {
    group.push(step)
    if (typeof step === 'object' && ('error' in step || 'hang' in step)) continue
    groups.push(group)
    group = []
  }
  if (group.length > 0) groups.push(group)
  return groups
}

/**
 * Replies that a history window dropped still count, through the position in the newest remaining one. Consecutive messages of the assistant are one
 * reply: an agent may add to its model's reply, for example the answer of a cell.
 */
function positionIn(messages: readonly Message[]): number {
  let after = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!
    if (message.role !== 'assistant') continue
    for (const part of message.content) {
      const position = part.providerMetadata?.['scripted']?.['position']
      if (typeof position === 'number') return position + 1 + after
    }
    if (messages[index - 1]?.role !== 'assistant') after++
  }
  return after
}

function pastEnd(name: string, script: unknown, moment: ScriptedMoment, request: ModelRequest): never {
  const count = (script as readonly unknown[]).length
  const last = request.messages.slice(-3).map((message) => `${message.role}: ${describe(message).slice(0, 200)}`)
  throw new MandateError(
    'MODEL_FAILED',
    `The script of scripted/${name} has ${count} item(s) and no reply ${moment.position + 1}. Add one, or end the run earlier. Last messages:\n${last.join('\n')}`,
    { info: { retriable: false } },
  )
}

function describe(message: Message): string {
  return textOf(message) || JSON.stringify(message.content)
}
