import { LATIN } from './char-set.ts'
import { Trail } from './trail.ts'

/** Matches runs: repeated characters of a set, greedy or lazy. */
export class Runs extends Trail {
  /** Matches a greedy run to its end, then backtracks to the last position where the continuation can match. */
  protected run(pc: number, from: number): number {
    const { code, sets } = this.program
    const set = code[pc + 1]!
    const least = code[pc + 2]!
    const most = code[pc + 3]!
    const { latin } = sets[set]!
    const { text } = this
    const row = code[pc + 4]!
    const visits = row < 0 ? undefined : this.visits
    let at = from
    let floor = -1
    for (let count = 0; ; count += 1) {
      if (count === least) floor = at
      if (visits !== undefined && count >= least) {
        if (visits.again(row + (count === 0 ? this.idle(code[pc + 5]!, at) : 0), at)) {
          if (at === floor) return -1
          at = this.before(at)
          break
        }
      }
      if (count >= most || at >= text.length) break
      // Fast path for nearly every character; `step` is for the others.
      const unit = text.charCodeAt(at)
      const next = unit >= LATIN ? this.step(set, at) : latin[unit] === 1 ? at + 1 : -1
      if (next < 0) break
      at = next
    }
    // With more text, the run could be longer.
    if (at >= text.length) this.isAtEnd = true
    this.left -= (at - from) >> 2
    return floor < 0 ? -1 : this.shorten(pc, at, floor)
  }

  /** Backtracks to the last position where the continuation of a run can match. */
  protected shorten(pc: number, to: number, floor: number): number {
    const isOnly = this.program.code[pc + 8] === 1
    if (isOnly) return this.canFollow(pc, to) ? to : -1
    let at = to
    while (at >= floor && !this.canFollow(pc, at)) at = this.before(at)
    this.left -= (to - at) >> 2
    if (at < floor) return -1
    if (at > floor) this.push(pc, this.before(at), floor)
    return at
  }

  protected lazyRun(pc: number, from: number): number {
    const { code } = this.program
    const least = code[pc + 2]!
    let at = from
    for (let count = 0; count < least && at >= 0; count += 1) at = this.step(code[pc + 1]!, at)
    return at < 0 ? -1 : this.#lengthen(pc, at, code[pc + 3]! - least)
  }

  /** Extends a lazy run by one character, then to the next position where the continuation can match. */
  protected lengthen(pc: number, at: number, more: number): number {
    const next = this.step(this.program.code[pc + 1]!, at)
    return next < 0 ? -1 : this.#lengthen(pc, next, more - 1)
  }

  #lengthen(pc: number, from: number, most: number): number {
    const { code } = this.program
    const row = code[pc + 4]!
    const visits = row < 0 ? undefined : this.visits
    let at = from
    for (let more = most; ; more -= 1) {
      if (visits?.again(row + this.idle(code[pc + 5]!, at), at)) break
      if (this.canFollow(pc, at)) {
        if (more > 0) this.push(pc, at, more)
        this.left -= (at - from) >> 2
        return at
      }
      const next = more > 0 ? this.step(code[pc + 1]!, at) : -1
      if (next < 0) break
      at = next
    }
    this.left -= (at - from) >> 2
    return -1
  }
}
