import { MandateError, checkFields, messageOf, tellOfHost, unknownField, within } from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
import { checkMandate, mandateHash } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Identity, Journal } from '../../journal/index.ts'
import type { PromptDraft, PromptTemplate } from '../../memory/index.ts'
import { redactedBy } from '../../run/index.ts'
import type { Kernel, Registry } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { explainCall } from './explain-call.ts'
import type { ExplainedCall, SupposedCall } from './explain-call.ts'
import type { ServiceHost } from './service-host.ts'
import type { Health, ServiceOptions } from './service-options.ts'
import { CALLABLE } from '../config/callable.ts'

/** Checks whether a service with these agents and this journal can do its work. */
export async function healthOf(agents: readonly string[], journal: Journal, isStopped: boolean): Promise<Health> {
  if (isStopped) return { ok: false, agents, store: 'closed', problem: 'the service has been stopped' }
  try {
    await journal.list({ limit: 1 })
    return { ok: true, agents, store: 'ok' }
  } catch (error) {
    return { ok: false, agents, store: 'failed', problem: messageOf(error) }
  }
}

/** Stores a new version of a prompt, if there is a store. */
export async function storePrompt(kernel: Kernel, prompt: PromptDraft, by: string): Promise<PromptTemplate> {
  const { prompts } = kernel.registry
  if (prompts === undefined)
    throw new MandateError('CONFIG_INVALID', 'There is no prompt store. Give the service a `promptStore`.')
  const stored = await prompts.put(prompt, { author: by })
  tellOfHost(kernel, 'prompt-changed', '', { by, id: stored.id, version: stored.version })
  return stored
}

/** Moves a label of a prompt to a version. */
export async function movePromptLabel(
  kernel: Kernel,
  { id, label, version }: { readonly id: string; readonly label: string; readonly version: string },
  by: string,
): Promise<void> {
  const { prompts } = kernel.registry
  if (prompts?.label === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      'There is no prompt store that has labels. Give the service a `promptStore`.',
    )
  if ((await prompts.get(id, version)) === null)
    throw new MandateError('NOT_FOUND', `There is no version ${version} of the prompt "${id}".`)
  await prompts.label(id, label, version, { author: by })
  tellOfHost(kernel, 'prompt-changed', '', { by, id, version, label })
}

/** Changes the mandate of every run that is started or resumed from now on. */
export async function changePolicy(kernel: Kernel, mandate: Mandate | undefined, by: string): Promise<void> {
  const before = mandateHash(kernel.mandate)
  kernel.setMandate(mandate)
  tellOfHost(kernel, 'policy-changed', '', { by, before, after: mandateHash(kernel.mandate) })
}

/** A hypothetical call, and the mandates that judge it. */
export interface ExplainOptions extends Omit<SupposedCall, 'identity'> {
  /** The agent that would make the call; by default only the mandate of the host applies. */
  readonly agent?: string | undefined
  /** Replaces the mandate of the host. */
  readonly mandate?: Mandate | undefined
}

const EXPLAIN: FieldNames<ExplainOptions> = {
  name: 'text',
  input: true,
  labels: 'texts',
  agent: 'text',
  mandate: 'object',
}

/** The decision of this host's gate about a call. */
export async function explainHere(host: ServiceHost, call: ExplainOptions, by: Identity): Promise<ExplainedCall> {
  checkFields(call, 'a field of a call', EXPLAIN, 'INPUT_INVALID')
  const { agent, mandate: given, ...supposed } = call
  const { registry, mandate } = host.kernel
  const spec = agent === undefined ? undefined : host.agent(agent)
  const above = given === undefined ? mandate : checkMandate(given)
  const tools = spec?.tools ?? []
  const tool = tools.find(({ name }) => name === call.name) ?? registry.tools.get(call.name)
  const mandates = [spec?.mandate, above].filter((one) => one !== undefined)
  const others = [...tools.map(({ name }) => name), ...registry.tools.keys()]
  const explained = await explainCall(
    { mandates, tool, known: tool !== undefined, others, filters: registry.filters },
    { ...supposed, identity: by },
  )
  // The input is shown as it would be recorded.
  return redactedBy(host.kernel, explained as unknown as Json) as unknown as ExplainedCall
}

/** Throws if an agent refers to unregistered agents, graphs or programs. Checked when an agent is run, because they may be registered in any order. */
export function checkReach(spec: AgentSpec, agents: readonly string[], registry: Registry): void {
  const fields = Object.entries({ ...CALLABLE, agentTypes: 'agent' as const })
  for (const [field, kind] of fields) {
    const known = kind === 'agent' ? agents : registry.mindNames(kind)
    const unknown = spec[field as keyof typeof CALLABLE | 'agentTypes'].find((name) => !known.includes(name))
    if (unknown === undefined) continue
    const what = kind === 'agent' ? 'an agent' : `a ${kind}`
    const where = `${what} of this service, and agent "${spec.id}" names it in \`${field}\``
    throw new MandateError('CONFIG_INVALID', unknownField(unknown, where, known))
  }
}

interface Closing {
  readonly observed: Promise<unknown>
  readonly specs: readonly AgentSpec[]
  readonly store: ServiceOptions['store']
}

/** Closes models and the store of a service, each within `limits.stopTimeoutMs`. Returns the names of those that took longer. */
export async function closeParts(
  { clock, limits }: Kernel,
  { observed, specs, store }: Closing,
): Promise<readonly string[]> {
  const unfinished: string[] = []
  const briefly = (name: string, work: Promise<unknown>): Promise<unknown> =>
    within(clock, limits.stopTimeoutMs, work, () => unfinished.push(name))
  await briefly('results', observed)
  const used = specs.flatMap(({ models, fallbackTool }) => [...models, fallbackTool])
  const models = new Set(used.filter((model) => model !== undefined))
  await briefly('models', Promise.allSettled([...models].map(async (model) => model.close?.())))
  if (store !== undefined)
    await briefly('store', Promise.resolve(store.close === undefined ? store.journal.close() : store.close()))
  return unfinished
}
