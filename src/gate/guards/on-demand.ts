import { MandateError } from '../../core/index.ts'
import type { Guard } from '../guard.ts'
import { gateLater } from '../later.ts'
import type { Mandate } from '../mandate.ts'
import type { Oversight } from '../oversight.ts'

/** The fields of a mandate that call for a guard of their own. */
type Field = 'intentRequired' | 'riskMax' | 'rules' | 'rates' | 'content' | 'flow' | 'overseer'

/** Where the mandate asks for it, every call comes with an intent of its own, whoever makes the call. */
export const intentGuard: Guard = onDemand('intent', 'intentRequired')
/** Nothing above the highest risk that the mandate allows; how the risk was found is in `risk.ts`. */
export const riskGuard: Guard = onDemand('risk', 'riskMax')
/** The first rule of the mandate that matches decides. */
export const rulesGuard: Guard = onDemand('rules', 'rules')
/** Not too many calls in too short a time. This only looks; the kernel counts, and looks again while it does. */
export const rateGuard: Guard = onDemand('rate', 'rates')
/** Prompts, inputs of tools and what is stored pass the filters that the mandate names. What tools give passes them when it comes back. */
export const contentGuard: Guard = onDemand('content', 'content')
/** The labels of an effect's input against what the mandate says of the place it goes to. */
export const flowGuard: Guard = onDemand('flow', 'flow')
/** Watches over the run as a whole: what it has used, how fast it goes, whether it turns in circles, whether it has left its task. */
export const overseerGuard: Guard = onDemand('overseer', 'overseer')

/** A guard that is loaded by the first mandate that calls for it; until it is there, its answer is waited for. */
function onDemand(name: string, field: Field): Guard {
  let guard: Guard | undefined
  return {
    name,
    appliesTo: (mandate) => isCalledFor(mandate, field),
    check(view) {
      if (guard !== undefined) return guard.check(view)
      return gateLater(({ GUARDS }) => (guard = GUARDS.get(name)!).check(view))
    },
  }
}

function isCalledFor(mandate: Mandate, field: Field): boolean {
  const said = mandate[field]
  return Array.isArray(said) ? said.length > 0 : said !== undefined && said !== false
}

/** What the overseer counts with, for a run whose mandates have been read. */
export function newOversight(): Oversight {
  const made = gateLater(({ Oversight: Made }) => new Made())
  if (made instanceof Promise) throw new MandateError('INTERNAL', 'The mandates of this run have not been read.')
  return made
}
