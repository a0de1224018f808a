import { Agent, AgentService } from '../agent/index.ts'
import type { AgentConfig, ServiceOptions } from '../agent/index.ts'
import { fromAtlasProvider } from '../chat/index.ts'
import { fromChatProvider } from './providers/from-chat.ts'
import { fromLlmClient } from './providers/from-llm-client.ts'
import type { Provider as AtlasProvider } from '../chat/index.ts'
import type { ChatProvider } from './providers/chat-types.ts'
import type { LlmClient } from './providers/llm-client-types.ts'
import { MandateError, canonical, isRecord } from '../core/index.ts'
import type { ApprovalRequest, ApprovalResponse } from '../run/index.ts'
import type { ToolList } from '../tool/index.ts'

type OwnModel = Exclude<AgentConfig['model'], string | undefined>

/** A model of this package, of the AI SDK, or in the shape of another library. */
type CompatModel = OwnModel | LlmClient | ChatProvider | AtlasProvider

/** The configuration of an agent, also with the field names of other libraries. If a field is given under two names, both values must be equal. */
export interface CompatAgentConfig<S = unknown, T = ToolList | undefined> extends Omit<
  AgentConfig<S, T>,
  'fallbackProvider'
> {
  /** `instructions`. */
  readonly systemPrompt?: AgentConfig['instructions']
  /** `prompt`. */
  readonly taskPrompt?: AgentConfig['prompt']
  /** `maxTurns`. */
  readonly maxSteps?: AgentConfig['maxTurns']
  /** The model, whose name can be given as `model`; or the name of a provider, with the name of its model as `model`. */
  readonly provider?: CompatModel | string | undefined
  /** `models`. */
  readonly modelProviders?: readonly CompatModel[] | undefined
  readonly fallbackProvider?: CompatModel | undefined
}

/** Converts a configuration to the field names of this package. */
export function agentConfig<S = unknown, T = ToolList | undefined>(config: CompatAgentConfig<S, T>): AgentConfig<S, T> {
  checkMoved(config)
  const { systemPrompt, taskPrompt, maxSteps, provider, modelProviders, fallbackProvider, ...own } = config
  const name = typeof own.model === 'string' ? own.model : undefined
  const further = modelProviders?.map((each, index) => modelOf(each, { name, place: `client-${index + 1}` }))
  const main = mainModel(own.model, provider, own.models ?? further)
  const fallback =
    fallbackProvider !== undefined && fallbackProvider === provider && typeof main.model === 'object'
      ? main.model
      : fallbackProvider && modelOf(fallbackProvider, { name, place: 'fallback' })
  return {
    ...own,
    ...defined('instructions', agree('instructions', own.instructions, 'systemPrompt', systemPrompt)),
    ...defined('prompt', agree('prompt', own.prompt, 'taskPrompt', taskPrompt)),
    ...defined('maxTurns', agree('maxTurns', own.maxTurns, 'maxSteps', maxSteps)),
    ...defined('models', agree('models', own.models, 'modelProviders', further)),
    ...main,
    ...defined('fallbackProvider', fallback),
  }
}

/** What is set elsewhere here. */
const MOVED: { readonly [field: string]: string } = {
  approvalHandler: '`onApproval` of the second argument: new LoopAgent(config, { onApproval })',
  toolRiskOverrides: '`mandate: { risks }`',
  toolAllowlist: '`mandate: { allow }`',
  toolDenylist: '`mandate: { deny }`',
}

function checkMoved(config: object): void {
  const found = Object.keys(config).find((field) => Object.hasOwn(MOVED, field))
  if (found === undefined) return
  throw new MandateError('CONFIG_INVALID', `\`${found}\` is not a field of an agent. It is ${MOVED[found]}.`)
}

/** The model that `provider` and `model` specify together. */
function mainModel(
  model: AgentConfig['model'],
  provider: CompatAgentConfig['provider'],
  further: AgentConfig['models'] = [],
): Pick<AgentConfig, 'model' | 'models'> {
  if (provider === undefined) return {}
  if (typeof provider === 'string') {
    if (typeof model === 'string') return { model: `${provider}/${model}` }
    throw new MandateError(
      'CONFIG_INVALID',
      `\`provider\` is the name "${provider}". Give \`model\`, the name of its model.`,
    )
  }
  if (typeof model === 'object' && model !== provider) throw disagreement('model', 'provider')
  if (isOwn(provider))
    return typeof model === 'string' ? { model, models: [provider, ...further] } : { model: provider }
  return { model: modelOf(provider, { name: model as string | undefined, place: 'client' }) }
}

/** The parts of the id of a model from another library: its name if it was given, and its place in the configuration. */
interface Naming {
  readonly name: string | undefined
  readonly place: string
}

function modelOf(given: CompatModel, { name, place }: Naming): OwnModel {
  if (isOwn(given)) return given
  if ('call' in given) return fromLlmClient(given, name ?? `llm-client/${place}`)
  return 'chat' in given ? fromChatProvider(given, name ?? place) : fromAtlasProvider(given, name ?? place)
}

/** Whether a model needs no adapter: it is in none of the other shapes. */
function isOwn(given: CompatModel): given is OwnModel {
  if (typeof given !== 'object' || given === null) return true
  return !('call' in given || 'chat' in given || ('complete' in given && 'capabilities' in given))
}

function defined<N extends string, V>(name: N, value: V | undefined): { readonly [K in N]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [K in N]: V })
}

/** The value of a field with two names. Throws if both are given and their values differ. */
function agree<V>(name: string, value: V | undefined, alias: string, other: V | undefined): V | undefined {
  if (value === undefined || other === undefined) return value ?? other
  if (value !== other && !isSameData(value, other)) throw disagreement(name, alias)
  return value
}

function isSameData(value: unknown, other: unknown): boolean {
  return !Array.isArray(value) && canonical(value) === canonical(other)
}

function disagreement(name: string, alias: string): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `\`${name}\` and \`${alias}\` are two names for one thing and disagree. Give one of them.`,
  )
}

/** An answer to an approval: this package's, or one of the words and objects of other libraries. */
type CompatAnswer =
  | ApprovalResponse
  | 'approve'
  | 'reject'
  | boolean
  | { readonly decision: 'approve' | 'reject' | 'deny'; readonly reason?: string | undefined }
  | { readonly approved: boolean; readonly reason?: string | undefined }
  | undefined

/** Options of a service, whose `onApproval` may answer as other libraries do. */
interface CompatServiceOptions extends Omit<ServiceOptions, 'onApproval'> {
  readonly onApproval?: ((request: ApprovalRequest) => CompatAnswer | Promise<CompatAnswer>) | undefined
}

function hostOf(host: AgentService | CompatServiceOptions | undefined): AgentService | ServiceOptions | undefined {
  if (host === undefined || host instanceof AgentService) return host
  const { onApproval, ...options } = host
  if (typeof onApproval !== 'function') return host as ServiceOptions
  return {
    ...options,
    onApproval: async (request) => answerOf(await onApproval(request)) as ApprovalResponse | undefined,
  }
}

/** An answer in this package's shape; what is none of these shapes stays, and is refused where it is read. */
function answerOf(given: unknown): unknown {
  if (typeof given === 'boolean') return { answer: given ? 'approve' : 'reject' }
  if (given === 'approve' || given === 'reject') return { answer: given }
  if (!isRecord(given) || 'answer' in given) return given
  const { decision, approved, reason, ...rest } = given
  const said =
    typeof approved === 'boolean' ? approved : { approve: true, reject: false, deny: false }[String(decision)]
  if (said === undefined || Object.keys(rest).length > 0) return given
  return { answer: said ? 'approve' : 'reject', ...(reason === undefined ? {} : { text: reason }) }
}

/**
 * An agent that is configured with the field names of other libraries.
 *
 * @example
 * ```ts
 * import { LoopAgent as Agent } from 'mandate/compat'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', taskPrompt: 'Greet me.', modelProviders: [scripted(['Hello.'])], maxSteps: 3 })
 * const { text } = await agent.run()
 * ```
 */
export class LoopAgent extends Agent {
  constructor(config: CompatAgentConfig, host?: AgentService | CompatServiceOptions) {
    super(agentConfig(config) as AgentConfig<undefined, undefined>, hostOf(host))
  }

  /**
   * Converts a configuration to the field names of this package, for a service.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * import { LoopAgent } from 'mandate/compat'
   * import { scripted } from 'mandate/model'
   * const config = LoopAgent.config({ id: 'greeter', systemPrompt: 'Be kind.', modelProviders: [scripted(['Hello.'])] })
   * const service = new AgentService({ agents: [config] })
   * ```
   */
  static config(config: CompatAgentConfig): AgentConfig {
    return agentConfig(config)
  }
}
