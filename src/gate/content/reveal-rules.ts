import { matchesLabel, memberPointer } from '../../core/index.ts'
import { isSecret, tokensIn } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import type { TokenPart } from '../../redact/index.ts'
import { isExcepted, isSink, listed } from './flow-rules.ts'
import type { FlowException } from './flow-rules.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { partsAt } from '../rules/pointers.ts'
import { targetName } from '../rules/targets.ts'

/**
 * A rule about where vault tokens are replaced by their values. The first matching rule of a mandate decides; of several mandates the strictest.
 * Without a matching rule, personal data is revealed to tools that declare they need it, and for a secret a human is asked.
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

type Call = Pick<GateView, 'effect' | 'input' | 'facts'>

/** The decision about each token of a call under all of these mandates. */
export function revealChoices(call: Call, mandates: readonly Mandate[]): readonly RevealChoice[] {
  if (call.effect.kind !== 'tool') return []
  return [...tokensIn(call.input), ...handlesIn(call.input)].map((part): RevealChoice => {
    const said = mandates.flatMap((mandate) => ruled(part, call, mandate) ?? [])
    return said.toSorted((a, b) => REVEALS.indexOf(b.then) - REVEALS.indexOf(a.then))[0] ?? unruled(part, call)
  })
}

/** The secret handles in an input: the performer substitutes the secret, so the rules treat a handle like a vault token. */
function handlesIn(value: Json, pointer = ''): readonly TokenPart[] {
  if (typeof value !== 'object' || value === null) return []
  if (isSecret(value)) return [{ token: JSON.stringify(value), label: `secret:${value.$secret}`, pointer }]
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

function unruled(part: TokenPart, { facts }: Call): RevealChoice {
  const isPersonal = part.label.startsWith('pii:')
  const isDeclared = isPersonal && facts.reveals?.some((pattern) => matchesLabel(pattern, part.label)) === true
  return { ...part, then: isDeclared ? 'allow' : isPersonal ? 'keep' : 'ask', rule: isPersonal ? 'pii' : 'secret' }
}

function covers(path: string | readonly string[] | undefined, { pointer }: TokenPart, { input }: Call): boolean {
  if (path === undefined) return true
  return listed(path)
    .flatMap((pattern) => partsAt(input, pattern))
    .some((part) => pointer === part.pointer || pointer.startsWith(`${part.pointer}/`))
}

/** The guard of runs that have a vault. It evaluates all mandates at once, because the default depends on whether any of them has a rule. */
export function revealGuard(mandates: readonly Mandate[]): Guard {
  return {
    name: 'reveal',
    ignoresMandate: true,
    check(view): GuardVerdict {
      const choices = revealChoices(view, mandates)
      // A handle cannot be kept as it is: the performer would substitute the secret.
      const denied = choices.find(({ then, token }) => then === 'deny' || (then === 'keep' && !token.startsWith('[')))
      if (denied !== undefined)
        return { verdict: 'deny', rule: denied.rule, code: 'DENIED', reason: describe(denied, view, 'must not get') }
      const asked = choices.find(({ then }) => then === 'ask')
      if (asked === undefined) return record(choices, view)
      // A standing approval was given without seeing which value this call reveals.
      return { verdict: 'ask', rule: asked.rule, reason: describe(asked, view, 'would get'), once: true }
    },
  }
}

/** Records that a value is revealed, even where no approval is needed. */
function record(choices: readonly RevealChoice[], view: GateView): GuardVerdict {
  const allowed = choices.filter(({ then }) => then === 'allow')
  const [first] = allowed
  if (first === undefined) return undefined
  const parts = allowed.map(({ token, pointer }) => `${token} (at ${pointer || 'the input itself'})`)
  const target = targetName(view.effect.kind, view.effect.name)
  return { verdict: 'allow', rule: first.rule, reason: `${target} gets the value behind ${parts.join(', ')}.` }
}

function describe({ token, label, pointer }: RevealChoice, { effect }: GateView, verb: string): string {
  const target = targetName(effect.kind, effect.name)
  return `${target} ${verb} the value behind ${token} (at ${pointer || 'the input itself'}). A rule under \`reveal\` of the mandate for ${label} would settle it.`
}
