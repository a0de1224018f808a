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
 * The options of a service with the settings of the environment, as the command uses them: limits that the code does not set, the profile, and
 * restrictions of the host's mandate (`MANDATE_RISK_MAX`, `MANDATE_DENY`, `MANDATE_BUDGET`), which no agent can lift.
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

/** Restricts a mandate. It can only become stricter, except for the profile, which is replaced. */
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

/** The same sink with payloads in full. */
function whole(sink: EventSink): EventSink {
  return {
    name: sink.name,
    includePayloads: true,
    write: (event) => sink.write(event),
    close: () => sink.close?.(),
  }
}
