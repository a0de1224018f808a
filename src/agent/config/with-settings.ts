import type { EventSink } from '../../core/index.ts'
import { lowestLimits } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import { checkServiceOptions } from '../service/service-options.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { settingsFrom } from './settings.ts'
import type { Settings } from './settings.ts'

/**
 * The options of a service with what the environment sets, as the command has them: limits where the code gives none, the profile, and what narrows the
 * mandate of the host (`MANDATE_RISK_MAX`, `MANDATE_DENY`, `MANDATE_BUDGET`), which no agent can widen again.
 *
 * @example
 * ```ts
 * import { AgentService, withSettings } from 'mandate'
 * const service = new AgentService(withSettings({ agents: [] }, process.env))
 * ```
 */
export function withSettings(
  options: ServiceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ServiceOptions {
  checkServiceOptions(options)
  const settings = settingsFrom(environment)
  const mandate = narrowed(options.mandate, settings)
  const { sinks } = options
  return {
    ...options,
    limits: { ...settings.limits, ...options.limits },
    ...(mandate === undefined ? {} : { mandate }),
    ...(sinks === undefined || !settings.includePayloads ? {} : { sinks: sinks.map(whole) }),
  }
}

/** A mandate can only become stricter by it, but for the profile, which is a choice of its own. */
function narrowed(mandate: Mandate | undefined, { profile, riskMax, deny, budget }: Settings): Mandate | undefined {
  const fields: Partial<Mandate> = {
    ...(profile === undefined ? {} : { profile }),
    ...(riskMax === undefined ? {} : { riskMax: lower(riskMax, mandate?.riskMax) }),
    ...(deny.length === 0 ? {} : { deny: [...new Set([...(mandate?.deny ?? []), ...deny])] }),
    ...(budget === undefined ? {} : { budget: lowestLimits(mandate?.budget, budget) }),
  }
  return Object.keys(fields).length === 0 ? mandate : { ...mandate, ...fields }
}

function lower(one: Risk, other: Risk = one): Risk {
  return RISKS.indexOf(one) < RISKS.indexOf(other) ? one : other
}

/** The same sink, asking for everything. */
function whole(sink: EventSink): EventSink {
  return {
    name: sink.name,
    includePayloads: true,
    write: (event) => sink.write(event),
    close: () => sink.close?.(),
  }
}
