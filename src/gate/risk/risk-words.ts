import type { Risk } from '../../tool/index.ts'

/** The words of a name that suggest a risk, strongest first. */
const HINTS: readonly (readonly [Risk, string])[] = [
  ['destructive', 'delete remove destroy drop purge truncate wipe erase reset reject kill shutdown terminate rm'],
  ['exec', 'exec execute run command shell spawn start restart build test install deploy invoke call'],
  [
    'write',
    'write edit update create append insert set save submit complete approve assign move rename copy mkdir touch patch put post send add upload publish',
  ],
  ['read', 'read list get show find search inspect view analyze capture fetch query status diff lookup describe count'],
]

const RISK_OF: ReadonlyMap<string, Risk> = new Map(
  HINTS.toReversed().flatMap(([risk, words]) => words.split(' ').map((word) => [word, risk] as const)),
)

const RANK: { readonly [R in Risk]: number } = { read: 0, write: 1, exec: 2, destructive: 3 }
const NAME_MAX = 200
const DESCRIPTION_MAX = 2_000
const KNOWN_MAX = 4_096

interface Known {
  readonly description: string | undefined
  readonly risk: Risk | undefined
}

/** The risk of each name, cached because names repeat with every call. */
const known = new Map<string, Known>()

/**
 * The risk that a tool's name and description suggest; `undefined` if they suggest none. Names are split at case, dash, dot and underscore, so
 * `deleteFile`, `delete-file` and `mcp.x.delete_repo` are equal. A description counts only by the verbs that begin its sentences, and only if it
 * suggests more than the name: it may be untrusted, so it can raise the risk and never lower it.
 */
export function riskOfWords(name: string, description?: string): Risk | undefined {
  const before = known.get(name)
  if (before !== undefined && before.description === description) return before.risk
  const risk = highest([...splitName(name), ...(description === undefined ? [] : leadingVerbs(description))])
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(name, { description, risk })
  return risk
}

/** The lower-case words of a name. */
export function splitName(name: string): readonly string[] {
  return name
    .slice(0, NAME_MAX)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

function leadingVerbs(description: string): readonly string[] {
  const verbs: string[] = []
  for (const sentence of description.slice(0, DESCRIPTION_MAX).split(/[.;:\n]+/)) {
    const first = /^[\s\-*]*([A-Za-z]+)/.exec(sentence)?.[1]?.toLowerCase()
    if (first === undefined) continue
    verbs.push(first)
    if (first.endsWith('s')) verbs.push(first.slice(0, -1))
    if (first.endsWith('es')) verbs.push(first.slice(0, -2))
    if (first.endsWith('ies')) verbs.push(`${first.slice(0, -3)}y`)
  }
  return verbs
}

function highest(words: readonly string[]): Risk | undefined {
  let best: Risk | undefined
  for (const word of words) {
    const risk = RISK_OF.get(word)
    if (risk !== undefined && (best === undefined || RANK[risk] > RANK[best])) best = risk
  }
  return best
}
