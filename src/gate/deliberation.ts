import { canonical, isSame, messageOf } from '../core/index.ts'
import type { ErrorCode, Json } from '../core/index.ts'
import type { Decision, VerdictAction } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'
import type { GateView, Guard, GuardVerdict } from './guard.ts'
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

interface Standing {
  readonly verdict: VerdictAction
  readonly rule: string
  readonly reason: string
  readonly code?: ErrorCode | undefined
  readonly once?: boolean | undefined
}

const STRICTNESS: { readonly [V in VerdictAction]: number } = { allow: 0, modify: 1, ask: 2, deny: 3, kill: 4 }
const PASSES_MAX = 3
const NO_OBJECTION: Standing = { verdict: 'allow', rule: 'gate', reason: 'No guard objects.' }

/** One decision in the making. It stays synchronous until a guard answers with a promise, because it happens for every effect. */
export class Deliberation {
  readonly #posts: readonly Post[]
  readonly #restart: number
  readonly #views: readonly OpenView[]
  readonly #assess: (view: OpenView) => Risk | Promise<Risk>
  readonly #modified: { rule: string; reason: string }[] = []
  /** Risks of a changed input that are still being found. */
  readonly #awaited: Promise<unknown>[] = []
  #next = 0
  #passes = 1
  #isChanged = false
  #carry: unknown
  #strictest: Standing = NO_OBJECTION
  /** What the guards before the restart said: they do not look at the input, so their word holds for every pass. */
  #before: Standing = NO_OBJECTION

  constructor(
    posts: readonly Post[],
    restart: number,
    views: readonly OpenView[],
    assess: (view: OpenView) => Risk | Promise<Risk>,
  ) {
    this.#posts = posts
    this.#restart = restart
    this.#views = views
    this.#assess = assess
  }

  /** Asks every guard, and again from the restart on for as long as one of them changes the input. */
  run(): GateDecision | Promise<GateDecision> {
    for (;;) {
      while (this.#next < this.#posts.length) {
        if (this.#next === this.#restart && this.#passes === 1) this.#before = this.#strictest
        const { guard, level } = this.#posts[this.#next++]!
        const answer = ask(guard, this.#views[level]!)
        if (answer instanceof Promise) return answer.then((late) => this.#goOn(guard, late))
        if (answer !== undefined) this.#weigh(guard, answer)
        if (this.#awaited.length > 0) return Promise.all(this.#awaited.splice(0)).then(() => this.run())
      }
      if (!this.#isChanged || STRICTNESS[this.#strictest.verdict] >= STRICTNESS.deny) return this.#conclude()
      if (this.#passes === PASSES_MAX) return this.#unsettled()
      this.#passes += 1
      this.#next = this.#restart
      this.#isChanged = false
      // An earlier pass judged an input that will not be performed; only what was said of the final one counts.
      this.#strictest = this.#before
    }
  }

  #goOn(guard: Guard, answer: GuardVerdict): GateDecision | Promise<GateDecision> {
    if (answer !== undefined) this.#weigh(guard, answer)
    return this.#awaited.length > 0 ? Promise.all(this.#awaited.splice(0)).then(() => this.run()) : this.run()
  }

  #weigh(guard: Guard, answer: NonNullable<GuardVerdict>): void {
    let standing: Standing
    try {
      standing = this.#accept(guard, answer)
    } catch (error) {
      standing = this.#accept(guard, fault(guard, error))
    }
    const isExplicit = this.#strictest === NO_OBJECTION && standing.verdict === 'allow'
    const isHarder = STRICTNESS[standing.verdict] - STRICTNESS[this.#strictest.verdict]
    // Of two questions, the one that fewer approvals answer.
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
        return answer.once === true ? { verdict, rule, reason, once: true } : { verdict, rule, reason }
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

  /** The guards that follow in this pass already see the new input; the next pass shows it to all. */
  #modify(input: Json, change: { rule: string; reason: string }): void {
    canonical(input)
    if (isSame(input, this.#views[0]!.input)) return
    for (const view of this.#views) {
      view.input = input
      const risk = this.#assess(view)
      if (risk instanceof Promise) this.#awaited.push(risk.then((late) => (view.risk = late)))
      else view.risk = risk
    }
    this.#modified.push(change)
    this.#isChanged = true
  }

  /** No other guard looks at it, so nobody is asked again; those of the mandates above see what this one left. */
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
    const standing: Standing = first === undefined ? this.#strictest : { verdict: 'modify', ...first }
    let { risk } = this.#views[0]!
    for (let level = 1; level < this.#views.length; level++) risk = maxRisk(risk, this.#views[level]!.risk)
    const decision = { ...standing, risk, input: this.#views[0]!.input, modified: this.#modified }
    return this.#carry === undefined ? decision : { ...decision, carry: this.#carry }
  }
}

/** A guard that cannot answer has not allowed anything. */
function ask(guard: Guard, view: GateView): GuardVerdict | Promise<GuardVerdict> {
  try {
    const answer = guard.check(view)
    return isThenable(answer) ? Promise.resolve(answer).catch((error: unknown) => fault(guard, error)) : answer
  } catch (error) {
    return fault(guard, error)
  }
}

function isThenable(answer: unknown): answer is PromiseLike<GuardVerdict> {
  return typeof answer === 'object' && answer !== null && typeof (answer as { then?: unknown }).then === 'function'
}

function fault(guard: Guard, error: unknown): NonNullable<GuardVerdict> {
  const reason = `The guard "${guard.name}" failed, so nothing is allowed past it: ${messageOf(error)}`
  return { verdict: 'deny', rule: 'fault', reason, code: 'INTERNAL' }
}
