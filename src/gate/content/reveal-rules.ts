import { matchesLabel, memberPointer } from '../../core/index.ts'
import { isSecret, tokenTraces } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import type { TokenPart } from '../../redact/index.ts'
import { isExcepted, isSink, listed } from './flow-rules.ts'
import type { FlowException } from './flow-rules.ts'
import type { GateView } from '../guard.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { partsAt } from '../rules/pointers.ts'

/**
 * A rule about where the tokens of redacted values are replaced by their values. The first matching rule of a mandate decides; of several mandates the
 * strictest. Without a matching rule, personal data is revealed to tools that declare they need it, and for a secret a human is asked. A token that is
 * not replaced stops the call, unless a rule or the tool says that it takes tokens.
 */
export interface RevealRule {
  readonly id: string
  /** Tools, named as in the lists of a mandate. Tokens in other effects are never revealed. */
  readonly sink: string | readonly string[]
  /** The parts of the input, as in flow rules. Absent: all of it. */
  readonly path?: string | readonly string[] | undefined
  /** The labels of the values: `secret:*`, `secret:github-token`, `pii:email`. */
  readonly labels: readonly string[]
  /** Only for known destinations. A URL with a token in or before its host has no host and never matches. */
  readonly where?: FlowException | undefined
  /** `allow` by default. `keep` performs the call with the token itself. */
  readonly then?: Reveal | undefined
}

/** Strictest last. */
export const REVEALS = ['allow', 'keep', 'ask', 'deny'] as const
type Reveal = (typeof REVEALS)[number]

/** The decision about one token, and the rule that made it. */
export interface RevealChoice extends TokenPart {
  readonly then: Reveal
  readonly rule: string
}

type Call = Pick<GateView, 'effect' | 'input' | 'facts' | 'vaulted'>

/** The rule of a token that would reach the world in place of its value. */
export const IN_PLACE = 'token'

/**
 * The decision about each token of a call under all of these mandates. Without a vault, handles are not decided here: the performer resolves them. A
 * question is a call that a client carries out: its tokens are never replaced.
 */
export function revealChoices(call: Call, mandates: readonly Mandate[]): readonly RevealChoice[] {
  const { kind } = call.effect
  if (kind !== 'tool' && kind !== 'question') return NOTHING
  const tokens = tokenTraces(call.input)
  const parts = isRevealing(call) ? [...tokens, ...handlesIn(call.input)] : tokens
  return parts.length === 0 ? NOTHING : parts.map((part) => chosen(part, call, mandates))
}

const NOTHING: readonly RevealChoice[] = []

function chosen(part: TokenPart, call: Call, mandates: readonly Mandate[]): RevealChoice {
  const said = mandates.flatMap((mandate) => ruled(part, call, mandate) ?? [])
  const strictest = said.toSorted((a, b) => REVEALS.indexOf(b.then) - REVEALS.indexOf(a.then))[0]
  if (strictest?.then === 'keep' || strictest?.then === 'deny') return strictest
  if (isRevealing(call) && part.isVaulted) return strictest ?? unruled(part, call)
  return inPlace(part, call)
}

/** Whether values may be put in the places of tokens. */
function isRevealing({ effect, vaulted }: Pick<Call, 'effect' | 'vaulted'>): boolean {
  return vaulted === true && effect.kind === 'tool'
}

/** A token that is not replaced: only for tools that take tokens, because a token that stands for a password must not become the password. */
function inPlace(part: TokenPart, { facts }: Call): RevealChoice {
  return { ...part, then: facts.takesTokens === true ? 'keep' : 'deny', rule: IN_PLACE }
}

/** The secret handles in an input: the performer substitutes the secret, so the rules treat a handle like a vault token. */
function handlesIn(value: Json, pointer = ''): readonly TokenPart[] {
  if (typeof value !== 'object' || value === null) return []
  if (isSecret(value))
    return [{ token: JSON.stringify(value), label: `secret:${value.$secret}`, pointer, isVaulted: true }]
  return Object.entries(value).flatMap(([name, member]) => handlesIn(member, memberPointer(pointer, name)))
}

function ruled(part: TokenPart, call: Call, { reveal = [], flow = [] }: Mandate): RevealChoice | undefined {
  const isAbout = (labels: readonly string[]): boolean => labels.some((pattern) => matchesLabel(pattern, part.label))
  const rule = reveal.find(
    ({ sink, path, labels, where }) =>
      isSink({ sink }, call) &&
      isAbout(labels) &&
      covers(path, part, call) &&
      (where === undefined || isExcepted(where, call.input)),
  )
  if (rule !== undefined) return { ...part, then: rule.then ?? 'allow', rule: rule.id }
  // A flow rule with an exception for a destination implies that the value may go there.
  const exception = flow.find(
    ({ sink, path, forbid, unless }) =>
      isSink({ sink }, call) && isAbout(forbid) && covers(path, part, call) && isExcepted(unless, call.input),
  )
  return exception === undefined ? undefined : { ...part, then: 'allow', rule: exception.id }
}

function unruled(part: TokenPart, call: Call): RevealChoice {
  const { reveals, takesTokens } = call.facts
  const isHandle = !part.token.startsWith('[')
  if (part.label.startsWith('pii:')) {
    const isDeclared = reveals?.some((pattern) => matchesLabel(pattern, part.label)) === true
    return isDeclared ? { ...part, then: 'allow', rule: 'pii' } : inPlace(part, call)
  }
  return takesTokens === true && !isHandle ? inPlace(part, call) : { ...part, then: 'ask', rule: 'secret' }
}

function covers(path: string | readonly string[] | undefined, { pointer }: TokenPart, { input }: Call): boolean {
  if (path === undefined) return true
  return listed(path)
    .flatMap((pattern) => partsAt(input, pattern))
    .some((part) => pointer === part.pointer || pointer.startsWith(`${part.pointer}/`))
}
