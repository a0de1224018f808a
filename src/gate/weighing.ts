import { canonical, isSame, messageOf } from '../core/index.ts'
import type { ErrorCode, Json } from '../core/index.ts'
import type { VerdictAction } from '../journal/index.ts'
import { NO_OBJECTION, ask, highestRisk } from './deliberation.ts'
import type { GateDecision, Heard, Hearing } from './deliberation.ts'
import type { Guard, GuardVerdict } from './guard.ts'

interface Standing {
  readonly verdict: VerdictAction
  readonly rule: string
  readonly reason: string
  readonly code?: ErrorCode | undefined
  readonly once?: boolean | undefined
}

const STRICTNESS: { readonly [V in VerdictAction]: number } = { allow: 0, modify: 1, ask: 2, deny: 3, kill: 4 }
const PASSES_MAX = 3

/** One decision in the making, from the first guard on that says something. */
export class Deliberation {
  readonly #hearing: Hearing
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

  constructor(hearing: Hearing) {
    this.#hearing = hearing
  }

  /** Goes on with what the guard at this place said; those before it were silent. */
  begin(place: number, heard: Heard): GateDecision | Promise<GateDecision> {
    this.#next = place + 1
    return this.#goOn(this.#hearing.posts[place]!.guard, heard)
  }

  /** Asks every guard, and again from the restart on for as long as one of them changes the input. */
  #run(): GateDecision | Promise<GateDecision> {
    const { posts, restart, views } = this.#hearing
    for (;;) {
      while (this.#next < posts.length) {
        if (this.#next === restart && this.#passes === 1) this.#before = this.#strictest
        const post = posts[this.#next++]!
        const heard = ask(post, views)
        if (heard instanceof Promise) return heard.then((late) => this.#goOn(post.guard, late))
        if (heard !== undefined) this.#weigh(post.guard, heard)
        if (this.#awaited.length > 0) return Promise.all(this.#awaited.splice(0)).then(() => this.#run())
      }
      if (!this.#isChanged || STRICTNESS[this.#strictest.verdict] >= STRICTNESS.deny) return this.#conclude()
      if (this.#passes === PASSES_MAX) return this.#unsettled()
      this.#passes += 1
      this.#next = restart
      this.#isChanged = false
      // An earlier pass judged an input that will not be performed; only what was said of the final one counts.
      this.#strictest = this.#before
    }
  }

  #goOn(guard: Guard, heard: Heard | undefined): GateDecision | Promise<GateDecision> {
    if (heard !== undefined) this.#weigh(guard, heard)
    return this.#awaited.length > 0 ? Promise.all(this.#awaited.splice(0)).then(() => this.#run()) : this.#run()
  }

  #weigh(guard: Guard, heard: Heard): void {
    let standing: Standing
    try {
      standing = this.#accept(guard, 'error' in heard ? fault(guard, heard.error) : heard.verdict)
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
    if (isSame(input, this.#hearing.views[0]!.input)) return
    for (const view of this.#hearing.views) {
      view.input = input
      const risk = this.#hearing.assess(view)
      if (risk instanceof Promise) this.#awaited.push(risk.then((late) => (view.risk = late)))
      else view.risk = risk
    }
    this.#modified.push(change)
    this.#isChanged = true
  }

  /** No other guard looks at it, so nobody is asked again; those of the mandates above see what this one left. */
  #replaceCarry(carry: unknown, change: { rule: string; reason: string }): void {
    for (const view of this.#hearing.views) view.effect = { ...view.effect, carry }
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
    const risk = highestRisk(this.#hearing.views)
    const decision = { ...standing, risk, input: this.#hearing.views[0]!.input, modified: this.#modified }
    return this.#carry === undefined ? decision : { ...decision, carry: this.#carry }
  }
}

function fault(guard: Guard, error: unknown): NonNullable<GuardVerdict> {
  const reason = `The guard "${guard.name}" failed, so nothing is allowed past it: ${messageOf(error)}`
  return { verdict: 'deny', rule: 'fault', reason, code: 'INTERNAL' }
}
