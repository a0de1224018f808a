import { MandateError, checkFields } from '../../core/index.ts'
import type { Clock, EventSink, FieldNames, Json } from '../../core/index.ts'
import { STANDING_WISH } from '../../gate/index.ts'
import type { StandingWish } from '../../gate/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { ModelSources } from '../../model/index.ts'
import type { PromptStore } from '../../memory/index.ts'
import type { KernelOptions, Mind } from '../../run/index.ts'
import type { ToolLike, ToolRegistry } from '../../tool/index.ts'
import type { AgentType } from '../config/agent-type.ts'
import type { AgentConfig } from '../config/config-types.ts'

/** Options of a service: agents, store, policy, limits, secrets. */
export interface ServiceOptions extends Omit<KernelOptions, 'random' | 'events' | 'onEntry' | 'sources'> {
  /** Where runs are kept: an object with a journal. It is closed when the service stops; a `journal` option stays open. */
  readonly store?: { readonly journal: Journal; close?(): Promise<void> } | undefined
  /** Makes journals deterministic: two services with the same seed and the same requests write the same bytes. */
  readonly deterministic?: { readonly seed: string | number; readonly clock?: Clock | undefined } | undefined
  /** Destinations of events besides listeners: files, OpenTelemetry, or any object with `write`. */
  readonly sinks?: readonly EventSink[] | undefined
  /** Other kinds of minds that runs may start. */
  readonly minds?: readonly Mind[] | undefined
  /** The agents of the service. */
  readonly agents?: readonly AgentConfig[] | undefined
  /** Tools that every mind can name. */
  readonly tools?: readonly ToolLike[] | undefined
  /** Types of agents that others may start. */
  readonly agentTypes?: readonly AgentType[] | undefined
  /** The packs of agent types. */
  readonly toolRegistry?: ToolRegistry | undefined
  /** Prompts for agents without a store of their own. */
  readonly promptStore?: PromptStore | undefined
  /** Finds models that agents name by their ids (`openai/gpt-5`). In Node by default the installed AI SDK packages and the environment. */
  readonly modelSources?: ModelSources | undefined
}

/** Options of an approval. */
export interface ApproveOptions {
  /**
   * The reach of the approval: this call; every call of its tool in this run; or, in all runs of this service, everything that the same rules ask
   * about the same tool until it expires or is revoked, for at most 30 days.
   */
  readonly scope?: 'once' | 'run' | 'rule' | undefined
  /** Narrows `run` and `rule`: members that the input must have, a highest risk, an end. */
  readonly standing?: StandingWish | undefined
  readonly edit?: Json | undefined
  /** The reason, which is recorded with the answer. */
  readonly reason?: string | undefined
  readonly hash?: string | undefined
}

const APPROVE_FIELDS: FieldNames<ApproveOptions> = {
  scope: 'text',
  standing: 'object',
  edit: true,
  reason: 'text',
  hash: 'text',
}

/** Throws on unknown options: with a misspelt `scope` or `hash` something else would be approved. */
export function checkApproveOptions(options: ApproveOptions): void {
  checkFields(options, 'an option of an approval', APPROVE_FIELDS, 'INPUT_INVALID')
  checkFields(options.standing, 'a field of `standing`', STANDING_WISH, 'INPUT_INVALID')
}

/** Options of a steering message. */
export interface SteerOptions {
  /** Names the message: one that is sent again under the same id, after a failure for example, is read once. */
  readonly id?: string | undefined
}

const STEER_FIELDS: FieldNames<SteerOptions> = { id: 'text' }

export function checkSteerOptions(options: SteerOptions): void {
  checkFields(options, 'an option of `steer`', STEER_FIELDS, 'INPUT_INVALID')
}

/** The health of a service. */
export interface Health {
  readonly ok: boolean
  readonly agents: readonly string[]
  readonly store: 'ok' | 'failed' | 'closed'
  readonly problem?: string | undefined
}

/** Every field, with its kind where it is not read by another check. */
const FIELDS: FieldNames<ServiceOptions> = {
  agents: true,
  tools: true,
  modelSources: 'object',
  agentTypes: true,
  toolRegistry: 'object',
  promptStore: 'object',
  minds: true,
  sinks: true,
  store: 'object',
  journal: 'object',
  deterministic: true,
  registry: 'object',
  filters: true,
  engine: 'object',
  clock: 'object',
  limits: 'object',
  mandate: 'object',
  redactor: 'object',
  secrets: 'function',
  vault: 'object|function',
  prices: 'object',
  identity: true,
  onApproval: 'function',
  signer: 'object',
  trustedKeys: 'object|text',
  onSignedHead: 'function',
}

const LISTS: ReadonlySet<string> = new Set(['agents', 'tools', 'agentTypes', 'minds', 'sinks', 'filters'])

/** Checks the options of a service; the content of each field is validated where it is used. */
export function checkServiceOptions(options: ServiceOptions): void {
  if (typeof options !== 'object' || options === null)
    throw invalid('The options of a service are an object, such as { agents: [...] }')
  checkFields(options, 'an option of a service', FIELDS)
  for (const [field, value] of Object.entries(options)) {
    if (value !== undefined && LISTS.has(field) && !Array.isArray(value)) throw invalid(`\`${field}\` must be a list`)
  }
  const { store, journal, deterministic, clock, identity } = options
  if (identity !== undefined) checkIdentity(identity)
  for (const [field, value] of Object.entries({ store, journal }))
    if (typeof (value as { then?: unknown } | null | undefined)?.then === 'function')
      throw invalid(`\`${field}\` is a promise. Await it, as in \`${field}: await openStore(…)\``)
  if (store !== undefined && typeof store?.journal?.append !== 'function')
    throw invalid('`store` must have a `journal`')
  if (store !== undefined && journal !== undefined && store.journal !== journal) throw twice('journal', 'store.journal')
  if (deterministic?.clock !== undefined && clock !== undefined && deterministic.clock !== clock)
    throw twice('clock', 'deterministic.clock')
  const seed = deterministic?.seed
  if (deterministic !== undefined && typeof seed !== 'string' && !Number.isFinite(seed)) {
    throw invalid('`deterministic` needs a `seed`: a number or a text')
  }
  checkFields(deterministic, 'a field of `deterministic`', { seed: true, clock: true })
}

function twice(first: string, second: string): MandateError {
  return invalid(`\`${first}\` and \`${second}\` are two names for one thing and disagree. Give one of them`)
}

function invalid(what: string): MandateError {
  return new MandateError('CONFIG_INVALID', what.endsWith('?') ? what : `${what}.`)
}
