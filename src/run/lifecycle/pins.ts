import { canonical, freezeDeep } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { mandateHash } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Mind } from '../mind/mind.ts'

/** The rules by which minds and kernel speak. A journal written under other rules is not resumed. */
export const PROTOCOL = 1

/** What pins follow from. */
interface Pinned {
  readonly mandates: readonly Mandate[]
  readonly mind: Mind
  /** What the mind pins itself. */
  readonly own: Json
  readonly vault: string | undefined
}

/** What a run of this mind pins under these mandates. Throws where that is not plain data. */
export function pinsFor(pinned: Pinned): Json {
  return freezeDeep(JSON.parse(canonical(pinsOf(pinned))) as Json)
}

/**
 * Whether intents are asked for is pinned: the prompt of a run that is under way must not change with a mandate. `labels` says how labels are
 * followed: `coarse` gives all that a mind asks for the labels of all it was told, unless the mind knows better, as it does when they are `fine`.
 */
function pinsOf({ mandates, mind, own, vault }: Pinned): Json {
  const isIntentRequired = mandates.some(({ intentRequired }) => intentRequired === true)
  return {
    mandate: mandateHash(mandates[0]),
    mind: own,
    labels: labelMode(mandates, mind),
    ...(isIntentRequired ? { intent: 'hidden' } : {}),
    ...(vault === undefined ? {} : { vault }),
  }
}

/** `fine`: the mind knows the labels of every value, and says them with each effect. */
function labelMode(mandates: readonly Mandate[], { followsLabels = 'never' }: Mind): 'fine' | 'coarse' {
  const hasRules = mandates.some(({ flow }) => flow !== undefined && flow.length > 0)
  return followsLabels === 'always' || (followsLabels === 'rules' && hasRules) ? 'fine' : 'coarse'
}
