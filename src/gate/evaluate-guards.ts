import { canonical, isSame, messageOf } from '../core/index.ts'
import type { ErrorCode, Json } from '../core/index.ts'
import type { Decision, VerdictAction } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'
import type { GateView, Guard, GuardVerdict } from './guard.ts'
import { maxRisk } from './risk/risk.ts'

/** The gate's decision about one effect. Both `allow` and `modify` mean that it may be performed with `input`. */
export type GateDecision = Decision & {
  /** The input after all modifications: what is performed, and what an approval is bound to. */
  readonly input: Json
  /** The modifications of the input, in order. */
  readonly modified: readonly { readonly rule: string; readonly reason: string }[]
  readonly risk: Risk
  /** Of an `ask`: only an approval of exactly this call lifts it. */
  readonly once?: boolean | undefined
  /**
   * Of an `ask`: all rules that ask, each prefixed with the number of its mandate (`0:rules/refund`). Absent if one of them asks about this call or
   * this run alone: then no approval given elsewhere lifts it.
   */
  readonly asking?: readonly string[] | undefined
  /** Replaces the effect's `carry` for the performer, if a guard changed it. */
  readonly carry?: unknown
}

/** A guard with one of the mandates in the chain: 0 is the agent's own, the host's is last. */
export interface GuardAtLevel {
  readonly guard: Guard
  readonly level: number
}

/** A view during an evaluation: only the input, and what depends on it, changes. */
export type MutableView = { -readonly [K in keyof GateView]: GateView[K] }

/** The guards to evaluate and their views. */
interface EvaluationInput {
  readonly guards: readonly GuardAtLevel[]
  /** The index of the first guard that depends on the input: evaluation restarts there when the input was changed. */
  readonly restart: number
  /** One for each mandate, nearest first. */
  readonly views: readonly MutableView[]
  readonly assess: (view: MutableView) => Risk
}

interface Standing {
  readonly verdict: VerdictAction
  readonly rule: string
  readonly reason: string
  readonly code?: ErrorCode | undefined
  readonly once?: boolean | undefined
  readonly ofRun?: boolean | undefined
}

/** The `ask` of one rule. */
interface Asking {
  readonly rule: string
  readonly isGeneral: boolean
}

const NO_OBJECTION = { verdict: 'allow', rule: 'gate', reason: 'No guard objects.' } as const

const STRICTNESS: { readonly [V in VerdictAction]: number } = { allow: 0, modify: 1, ask: 2, deny: 3, kill: 4 }
const PASSES_MAX = 3

/** Evaluates every guard and combines their verdicts: the strictest applies, and of equal ones the first names the rule. */
export function evaluateGuards(input: EvaluationInput): Promise<GateDecision> {
  return new Evaluation(input).run()
}

class Evaluation {
  readonly #guards: readonly GuardAtLevel[]
  readonly #restart: number
  readonly #views: readonly MutableView[]
  readonly #assess: EvaluationInput['assess']
  readonly #modified: { rule: string; reason: string }[] = []
  #isChanged = false
  #carry: unknown
  #strictest: Standing = NO_OBJECTION
  #asking: readonly Asking[] = []

  constructor({ guards, restart, views, assess }: EvaluationInput) {
    this.#guards = guards
    this.#restart = restart
    this.#views = views
    this.#assess = assess
  }

  /** Evaluates all guards once, and those from `restart` on again as long as a guard changes the input. */
  async run(): Promise<GateDecision> {
    await this.#ask(0, this.#restart)
    // These guards do not depend on the input, so their verdict holds for every pass.
    const before = this.#strictest
    const asking = this.#asking
    for (let pass = 1; pass <= PASSES_MAX; pass++) {
      // An earlier pass judged an input that will not be performed; only results for the final input count.
      this.#strictest = before
      this.#asking = asking
      this.#isChanged = false
      await this.#ask(this.#restart, this.#guards.length)
      if (!this.#isChanged || STRICTNESS[this.#strictest.verdict] >= STRICTNESS.deny) return this.#conclude()
    }
    return this.#unsettled()
  }

  async #ask(from: number, to: number): Promise<void> {
    for (const { guard, level } of this.#guards.slice(from, to)) {
      let verdict: GuardVerdict
      try {
        const answer = guard.check(this.#views[level]!)
        verdict = isThenable(answer) ? await answer : answer
      } catch (error) {
        verdict = fault(guard, error)
      }
      if (verdict !== undefined) this.#weigh(guard, verdict, level)
    }
  }

  #weigh(guard: Guard, verdict: NonNullable<GuardVerdict>, level: number): void {
    let standing: Standing
    try {
      standing = this.#accept(guard, verdict)
    } catch (error) {
      standing = this.#accept(guard, fault(guard, error))
    }
    if (standing.verdict === 'ask') {
      const isGeneral = standing.once !== true && standing.ofRun !== true
      this.#asking = [...this.#asking, { rule: `${level}:${standing.rule}`, isGeneral }]
    }
    const isExplicit = this.#strictest === NO_OBJECTION && standing.verdict === 'allow'
    const isHarder = STRICTNESS[standing.verdict] - STRICTNESS[this.#strictest.verdict]
    // Of two `ask` verdicts, the one that fewer approvals can lift.
    const isNarrower = isHarder === 0 && standing.once === true && this.#strictest.once !== true
    if (isExplicit || isHarder > 0 || isNarrower) this.#strictest = standing
  }

  #accept(guard: Guard, answer: NonNullable<GuardVerdict>): Standing {
    const { verdict, reason } = answer
    const rule = answer.rule === undefined ? guard.name : `${guard.name}/${answer.rule}`
    if (typeof reason !== 'string') throw new TypeError('it gave no reason')
    switch (verdict) {
      case 'allow':
        return { verdict, rule, reason }
      case 'ask':
        return {
          ...{ verdict, rule, reason },
          ...(answer.once === true ? { once: true } : {}),
          ...(answer.ofRun === true ? { ofRun: true } : {}),
        }
      case 'deny':
      case 'kill':
        return { verdict, rule, reason, code: answer.code ?? (verdict === 'kill' ? 'KILLED' : 'DENIED') }
      case 'modify':
        if (answer.carry === undefined) this.#modify(answer.input, { rule, reason })
        else this.#replaceCarry(answer.carry, { rule, reason })
        return NO_OBJECTION
      default:
        throw new TypeError(`"${String(verdict)}" is not a verdict`)
    }
  }

  /** Later guards of this pass already get the new input; in the next pass all guards do. */
  #modify(input: Json, change: { rule: string; reason: string }): void {
    canonical(input)
    if (isSame(input, this.#views[0]!.input)) return
    for (const view of this.#views) {
      view.input = input
      view.risk = this.#assess(view)
    }
    this.#modified.push(change)
    this.#isChanged = true
  }

  /** No guard of the same mandate reads `carry`, so none is evaluated again; guards of parent mandates get the modified one. */
  #replaceCarry(carry: unknown, change: { rule: string; reason: string }): void {
    for (const view of this.#views) view.effect = { ...view.effect, carry }
    this.#modified.push(change)
    this.#carry = carry
  }

  #unsettled(): GateDecision {
    const rules = [...new Set(this.#modified.map(({ rule }) => rule))].join(', ')
    const reason = `The input was still being changed after ${PASSES_MAX} passes (${rules}). Make these guards agree on one form.`
    this.#strictest = { verdict: 'deny', rule: 'gate/unsettled', reason, code: 'DENIED' }
    return this.#conclude()
  }

  #conclude(): GateDecision {
    const first = this.#strictest.verdict === 'allow' ? this.#modified[0] : undefined
    const { ofRun: _, ...standing }: Standing = first === undefined ? this.#strictest : { verdict: 'modify', ...first }
    const risk = highestRisk(this.#views)
    const isGeneral = standing.verdict === 'ask' && this.#asking.every((each) => each.isGeneral)
    const asking = isGeneral ? { asking: this.#asking.map(({ rule }) => rule) } : {}
    const decision = { ...standing, ...asking, risk, input: this.#views[0]!.input, modified: this.#modified }
    return this.#carry === undefined ? decision : { ...decision, carry: this.#carry }
  }
}

function fault(guard: Guard, error: unknown): NonNullable<GuardVerdict> {
  const reason = `The guard "${guard.name}" failed, so nothing is allowed past it: ${messageOf(error)}`
  return { verdict: 'deny', rule: 'fault', reason, code: 'INTERNAL' }
}

function isThenable(answer: unknown): answer is PromiseLike<GuardVerdict> {
  return typeof answer === 'object' && answer !== null && typeof (answer as { then?: unknown }).then === 'function'
}

/** The highest risk under any mandate of the chain. */
function highestRisk(views: readonly MutableView[]): Risk {
  return views.map(({ risk }) => risk).reduce(maxRisk)
}
