import { canonical, freezeDeep } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { mandateHash } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Mind } from '../mind/mind.ts'

/** The version of the protocol between minds and kernel. A journal of another version is not resumed. */
export const PROTOCOL = 1

/** The inputs of a run's pins. */
interface Pinned {
  readonly mandates: readonly Mandate[]
  readonly mind: Mind
  /** The mind's own pins. */
  readonly own: Json
  readonly vault: string | undefined
}

/** The pins of a run of this mind under these mandates. Throws if they are not plain data. */
export function pinsFor(pinned: Pinned): Json {
  return freezeDeep(JSON.parse(canonical(pinsOf(pinned))) as Json)
}

/**
 * The kernel's pins. Whether intents are requested is pinned, because the prompt of a run must not change with a mandate. `labels` is the mode of
 * label tracking: under `coarse` every effect has the labels of everything the mind was shown, unless the mind declares them; under `fine` the mind
 * declares them for every effect.
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

/** `fine` where the mind tracks the labels of every value and declares them with each effect. */
function labelMode(mandates: readonly Mandate[], { followsLabels = 'never' }: Mind): 'fine' | 'coarse' {
  const hasRules = mandates.some(({ flow }) => flow !== undefined && flow.length > 0)
  return followsLabels === 'always' || (followsLabels === 'rules' && hasRules) ? 'fine' : 'coarse'
}
