import type { Json } from '../core/index.ts'
import type { Decision } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'
import type { GateView, Guard, GuardVerdict } from './guard.ts'
import { gateLater } from './later.ts'
import { maxRisk } from './risk.ts'

/** What the gate says of one effect. Both `allow` and `modify` mean: go on, with `input`. */
export type GateDecision = Decision & {
  /** What may be performed, and what an approval is bound to: the input after all modifications. */
  readonly input: Json
  /** What changed the input, in order. */
  readonly modified: readonly { readonly rule: string; readonly reason: string }[]
  readonly risk: Risk
  /** Of an `ask`: only an approval of exactly this call lifts it. */
  readonly once?: boolean | undefined
  /** What the performer gets beside the input instead, where a guard changed that. */
  readonly carry?: unknown
}

/** One guard, asked under one of the mandates that lie above each other. */
export interface Post {
  readonly guard: Guard
  readonly level: number
}

/** A view while it is being decided about: only the input, and what follows from it, changes. */
export type OpenView = { -readonly [K in keyof GateView]: GateView[K] }

/** Who is asked about an effect, and what they are shown. */
export interface Hearing {
  readonly posts: readonly Post[]
  /** The first of them that looks at the input: from there on all are asked again when it was changed. */
  readonly restart: number
  /** One for each mandate, nearest first. */
  readonly views: readonly OpenView[]
  readonly assess: (view: OpenView) => Risk | Promise<Risk>
}

/** What a guard said, or that it failed. */
export type Heard = { readonly verdict: NonNullable<GuardVerdict> } | { readonly error: unknown }

/** What is decided when nobody says anything. */
export const NO_OBJECTION = { verdict: 'allow', rule: 'gate', reason: 'No guard objects.' } as const

/** Whether nobody said anything: then the decision says nothing of the effect but its risk. */
export function isUnopposed({ verdict, rule, reason }: Decision): boolean {
  return verdict === NO_OBJECTION.verdict && rule === NO_OBJECTION.rule && reason === NO_OBJECTION.reason
}

/**
 * Asks every guard. It stays synchronous until one of them answers with a promise, because it happens for every effect;
 * weighing what they say is loaded by the first who says something.
 */
export function deliberate(hearing: Hearing, from = 0): GateDecision | Promise<GateDecision> {
  const { posts, views } = hearing
  for (let next = from; next < posts.length; next++) {
    const heard = ask(posts[next]!, views)
    if (heard instanceof Promise)
      return heard.then((late) => (late === undefined ? deliberate(hearing, next + 1) : weigh(hearing, next, late)))
    if (heard !== undefined) return weigh(hearing, next, heard)
  }
  return { ...NO_OBJECTION, risk: highestRisk(views), input: views[0]!.input, modified: [] }
}

function weigh(hearing: Hearing, next: number, heard: Heard): GateDecision | Promise<GateDecision> {
  return gateLater(({ Deliberation }) => new Deliberation(hearing).begin(next, heard))
}

/** A guard that cannot answer has not allowed anything. */
export function ask(
  { guard, level }: Post,
  views: readonly OpenView[],
): Heard | undefined | Promise<Heard | undefined> {
  try {
    const answer = guard.check(views[level]!)
    if (isThenable(answer)) return Promise.resolve(answer).then(heardOf, (error: unknown) => ({ error }))
    return heardOf(answer)
  } catch (error) {
    return { error }
  }
}

function heardOf(verdict: GuardVerdict): Heard | undefined {
  return verdict === undefined ? undefined : { verdict }
}

function isThenable(answer: unknown): answer is PromiseLike<GuardVerdict> {
  return typeof answer === 'object' && answer !== null && typeof (answer as { then?: unknown }).then === 'function'
}

/** The highest of what the mandates make of it. */
export function highestRisk(views: readonly OpenView[]): Risk {
  let { risk } = views[0]!
  for (let level = 1; level < views.length; level++) risk = maxRisk(risk, views[level]!.risk)
  return risk
}
