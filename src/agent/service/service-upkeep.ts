import { MandateError, messageOf, tellOfHost, unknownField, within } from '../../core/index.ts'
import { mandateHash } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { PromptDraft, PromptTemplate } from '../../memory/index.ts'
import type { Kernel } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { Health, ServiceOptions } from './service-options.ts'

/** Whether a service with these agents and this journal can do its work. */
export async function healthOf(agents: readonly string[], journal: Journal, isStopped: boolean): Promise<Health> {
  if (isStopped) return { ok: false, agents, store: 'closed', problem: 'the service has been stopped' }
  try {
    await journal.list({ limit: 1 })
    return { ok: true, agents, store: 'ok' }
  } catch (error) {
    return { ok: false, agents, store: 'failed', problem: messageOf(error) }
  }
}

/** Puts a new version of a prompt into the store, if there is one. */
export async function storePrompt(kernel: Kernel, prompt: PromptDraft, by: string): Promise<PromptTemplate> {
  const { prompts } = kernel.registry
  if (prompts === undefined)
    throw new MandateError('CONFIG_INVALID', 'There is no prompt store. Give the service a `promptStore`.')
  const stored = await prompts.put(prompt, { author: by })
  tellOfHost(kernel, 'prompt-changed', '', { by, id: stored.id, version: stored.version })
  return stored
}

/** Puts another mandate over every run that is started or resumed from now on. */
export async function changePolicy(kernel: Kernel, mandate: Mandate | undefined, by: string): Promise<void> {
  const before = mandateHash(kernel.mandate)
  kernel.setMandate(mandate)
  tellOfHost(kernel, 'policy-changed', '', { by, before, after: mandateHash(kernel.mandate) })
}

/** Refuses an agent that names others which are not there. Agents may be registered in any order, so it is checked when one is run. */
export function checkReach({ id, agents, agentTypes }: AgentSpec, known: readonly string[]): void {
  for (const [field, names] of Object.entries({ agents, agentTypes })) {
    const unknown = names.find((name) => !known.includes(name))
    if (unknown === undefined) continue
    const where = `an agent of this service, and agent "${id}" names it in \`${field}\``
    throw new MandateError('CONFIG_INVALID', unknownField(unknown, where, known))
  }
}

interface Closing {
  readonly observed: Promise<unknown>
  readonly specs: readonly AgentSpec[]
  readonly store: ServiceOptions['store']
}

/** Closes models and the store of a service, each within `limits.stopTimeoutMs`. */
export async function closeParts({ clock, limits }: Kernel, { observed, specs, store }: Closing): Promise<void> {
  const briefly = (work: Promise<unknown>): Promise<unknown> =>
    within(clock, limits.stopTimeoutMs, work, () => undefined)
  await briefly(observed)
  const used = specs.flatMap(({ models, fallbackTool }) => [...models, fallbackTool])
  const models = new Set(used.filter((model) => model !== undefined))
  await briefly(Promise.allSettled([...models].map(async (model) => model.close?.())))
  if (store !== undefined)
    await briefly(Promise.resolve(store.close === undefined ? store.journal.close() : store.close()))
}
