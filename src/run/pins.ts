import { canonical, freezeDeep } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { mandateHash } from '../gate/index.ts'
import type { Mandate } from '../gate/index.ts'
import { areSame } from './gates.ts'
import type { Mind } from './mind.ts'

/** What a run pins, with its part of the canonical text of a `run-start`. */
export interface Pins {
  readonly value: Json
  readonly text: string
}

/** What pins follow from. */
interface Pinned {
  readonly mandates: readonly Mandate[]
  readonly mind: Mind
  /** What the mind pins itself. One that is frozen is taken never to change. */
  readonly own: Json
  readonly vault: string | undefined
}

interface Known extends Pins {
  readonly own: Json
  readonly mandates: readonly Mandate[]
}

/** Most minds pin the same in every run, and writing it out takes longer than all else that a run begins with. */
const known = new WeakMap<Mind, Known>()

/** What a run of this mind pins under these mandates. Throws where that is not plain data. */
export function pinsFor(pinned: Pinned): Pins {
  const { mandates, mind, own, vault } = pinned
  const before = known.get(mind)
  if (before?.own === own && vault === undefined && areSame(before.mandates, mandates)) return before
  const value = pinsOf(pinned)
  const text = canonical({ pins: value }).slice(1, -1)
  if (vault !== undefined || !Object.isFrozen(own) || !mandates.every(Object.isFrozen)) return { value, text }
  const pins = { value: freezeDeep(structuredClone(value)), text, own, mandates }
  known.set(mind, pins)
  return pins
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
