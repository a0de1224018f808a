import { allLabels, controlLabels, coversAbsent, joinLabels, labelsAt, matchesLabel } from '../../core/index.ts'
import { hasSecret, isSecret, tokensIn } from '../../redact/index.ts'
import type { Json, Label } from '../../core/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { GateView } from '../guard.ts'
import { partsAt } from '../rules/pointers.ts'
import { matchesTarget, targetName } from '../rules/targets.ts'

/** A rule about where labelled values must not go. All rules are evaluated; `deny` is stricter than `ask`. */
export interface FlowRule {
  readonly id: string
  /** The targets, named as in the lists of a mandate: `send_email`, `http_*`, `agent:writer`, `model:*`. `*` means every tool. */
  readonly sink: string | readonly string[]
  /** Only effects of this risk or higher. */
  readonly riskMin?: Risk | undefined
  /** The parts of the input, as JSON pointers in which `*` matches every member. Absent: the whole call, including the labels of what led to it. */
  readonly path?: string | readonly string[] | undefined
  /** The forbidden labels; `untrusted:*` matches all of that kind. */
  readonly forbid: readonly string[]
  /** Applies the rule also to the labels of what decided that the call is made, not only to the parts at `path`. */
  readonly control?: boolean | undefined
  /** An exception for known destinations. */
  readonly unless?: FlowException | undefined
  /** `deny` by default. `ask` shows the call to a human, with the labels. */
  readonly then?: 'deny' | 'ask' | undefined
  readonly reason?: string | undefined
}

/** An exception that applies if there is a value at `at` and all of it is in the list. */
export interface FlowException {
  /** A JSON pointer into the input, such as `/url`. */
  readonly at: string
  /** Allowed hosts of the URL at `at`; `*.corp.example` matches every subdomain. The URL must be https. */
  readonly hosts?: readonly string[] | undefined
  /** Allowed texts at `at`, compared exactly. */
  readonly values?: readonly string[] | undefined
}

/** A violation of a flow rule. */
interface FlowBreach {
  readonly rule: FlowRule
  /** The part of the input, or `undefined` for the call as a whole. */
  readonly pointer: string | undefined
  readonly labels: readonly Label[]
}

/** The violation of a rule by an effect; `undefined` if the rule allows it. */
export function findBreach(rule: FlowRule, view: GateView): FlowBreach | undefined {
  const { effect, input, risk, vaulted } = view
  if (!isSink(rule, view) || (effect.labels === undefined && vaulted !== true && !hasSecret(input))) return undefined
  if (rule.riskMin !== undefined && RISKS.indexOf(risk) < RISKS.indexOf(rule.riskMin)) return undefined
  for (const { pointer, labels } of candidates(rule, view)) {
    const found = labels.filter((label) => rule.forbid.some((pattern) => matchesLabel(pattern, label)))
    if (found.length > 0) return isExcepted(rule.unless, input) ? undefined : { rule, pointer, labels: found }
  }
  return undefined
}

/** Whether an effect is a target of a rule. */
export function isSink({ sink }: Pick<FlowRule, 'sink'>, { effect }: Pick<GateView, 'effect'>): boolean {
  return listed(sink).some((pattern) => matchesTarget(pattern, effect.kind, effect.name))
}

function candidates(
  { path, control }: FlowRule,
  { effect, input, vaulted }: GateView,
): { pointer: string | undefined; labels: readonly Label[] }[] {
  if (path === undefined)
    return [{ pointer: undefined, labels: joinLabels(allLabels(effect.labels), secretsIn(input, vaulted)) }]
  const led = control === true ? controlLabels(effect.labels) : undefined
  return listed(path)
    .flatMap((pattern) => partsAt(input, pattern, coversAbsent(effect.labels)))
    .map(({ pointer, value }) => ({
      pointer,
      labels: joinLabels(labelsAt(effect.labels, pointer), led, secretsIn(value, vaulted)),
    }))
}

/** The labels of secrets in a value: a secret handle has its name as label, and so does a redaction token, if there is a vault to resolve it. */
function secretsIn(value: Json, vaulted: boolean | undefined): readonly Label[] {
  if (typeof value === 'string' && vaulted === true) return joinLabels(tokensIn(value).map(({ label }) => label))
  if (typeof value !== 'object' || value === null) return []
  if (isSecret(value)) return [`secret:${value.$secret}`]
  return joinLabels(...Object.values(value).map((member) => secretsIn(member, vaulted)))
}

/** Whether an exception applies: there is a value at its pointer, and all of it is allowed. */
export function isExcepted(unless: FlowException | undefined, input: Json): boolean {
  if (unless === undefined) return false
  const parts = partsAt(input, unless.at)
  return parts.length > 0 && parts.every(({ value }) => isKnown(unless, value))
}

function isKnown({ hosts = [], values = [] }: FlowException, value: Json): boolean {
  if (typeof value !== 'string') return false
  if (values.includes(value)) return true
  const url = hosts.length === 0 ? null : URL.parse(value)
  return url?.protocol === 'https:' && hosts.some((host) => matchesHost(host, url.hostname))
}

function matchesHost(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}

/** Describes the violation in one sentence, and what would change it in another. */
export function describeBreach({ rule, pointer, labels }: FlowBreach, { effect }: GateView): string {
  const target = targetName(effect.kind, effect.name)
  const what =
    pointer === undefined
      ? `what led to this call of ${target} carries`
      : `${pointer === '' ? 'the input' : pointer} of ${target} carries`
  const why = rule.reason ?? `The rule "${rule.id}" keeps ${rule.forbid.join(', ')} from it`
  const change =
    rule.unless === undefined
      ? 'It does not apply to what comes from the user alone.'
      : `It does not apply to what comes from the user alone, nor where ${rule.unless.at} is one of: ${[...(rule.unless.hosts ?? []), ...(rule.unless.values ?? [])].join(', ')}.`
  return `${why.replace(/\.$/u, '')}: ${what} ${labels.join(', ')}. ${change}`
}

/** A single value or a list, as a list. */
export function listed(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}
