import { isSame, nearest } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { GateView } from '../guard.ts'
import { riskRank } from '../risk/risk.ts'
import { EFFECT_KINDS, matchesName } from './targets.ts'

/** The value that a path in a rule reads, and how it is compared. */
export interface Subject {
  readonly read: (view: GateView) => Json | undefined
  readonly same: (value: Json, other: Json) => boolean
  /** The rank of a value for comparisons; `undefined` for values without one. Absent if no value has one. */
  readonly rank?: ((value: Json) => number | undefined) | undefined
  /** Always a string, never a list. */
  readonly isText: boolean
  /** The possible values, if they are known: any other value in a rule is a mistake. */
  readonly values?: readonly string[] | undefined
}

const asNumber = (value: Json): number | undefined =>
  typeof value === 'number' && !Number.isNaN(value) ? value : undefined

const asRisk = (value: Json): number | undefined =>
  typeof value === 'string' && (RISKS as readonly string[]).includes(value) ? riskRank(value) : undefined

const likePattern = (value: Json, pattern: Json): boolean =>
  typeof value === 'string' && typeof pattern === 'string' && matchesName(pattern, value)

const TEXTS: { readonly [path: string]: Subject } = {
  tool: { read: ({ effect }) => (effect.kind === 'tool' ? effect.name : undefined), same: likePattern, isText: true },
  name: { read: ({ effect }) => effect.name, same: likePattern, isText: true },
  kind: { read: ({ effect }) => effect.kind, same: isSame, isText: true, values: EFFECT_KINDS },
  risk: { read: ({ risk }) => risk, same: isSame, isText: true, values: RISKS, rank: asRisk },
}

const PATHS = [...Object.keys(TEXTS), 'input', 'identity.id', 'identity.roles', 'identity.agent']

/** The subject of a path; refuses an invalid path. */
export function subjectOf(path: string, refuse: (problem: string) => never): Subject {
  if (Object.hasOwn(TEXTS, path)) return TEXTS[path]!
  const [root, ...members] = path.split('.')
  const isKnown = (root === 'input' || PATHS.includes(path)) && !members.includes('')
  if (!isKnown) {
    const meant = nearest(path, PATHS)
    const hint = meant === undefined ? '' : `Did you mean "${meant}"? `
    return refuse(`is not a path that rules can read. ${hint}Use one of: ${PATHS.join(', ')}, or a path below input.`)
  }
  const start = root === 'input' ? inputOf : identityOf
  return { read: (view) => readPath(start(view), members), same: isSame, rank: asNumber, isText: false }
}

function inputOf(view: GateView): unknown {
  return view.input
}

function identityOf(view: GateView): unknown {
  return view.identity
}

/** Only own members: a path must not reach what objects inherit. */
function readPath(start: unknown, members: readonly string[]): Json | undefined {
  let value = start
  for (const member of members) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined
    value = (value as { readonly [name: string]: unknown })[member]
  }
  return value as Json | undefined
}
