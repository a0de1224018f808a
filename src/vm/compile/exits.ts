import { MandateError } from '../../core/index.ts'
import type { FunctionInfo } from './lower/scope.ts'
import type { Exit } from './ir-statements.ts'

/** Valid targets of `break` and `continue` at a point in a function. */
export class ExitTargets {
  readonly #loops = new Map<FunctionInfo, number>()
  readonly #switches = new Map<FunctionInfo, number>()
  readonly #labels = new Map<FunctionInfo, string[]>()

  within(fn: FunctionInfo, kind: 'loop' | 'switch', work: () => void): void {
    const counts = kind === 'loop' ? this.#loops : this.#switches
    counts.set(fn, (counts.get(fn) ?? 0) + 1)
    work()
    counts.set(fn, counts.get(fn)! - 1)
  }

  labelled(fn: FunctionInfo, label: string, work: () => void): void {
    const labels = this.#labels.get(fn) ?? []
    this.#labels.set(fn, labels)
    labels.push(label)
    work()
    labels.pop()
  }

  /** Throws for an exit without a target, because it would leave the function as its return value. */
  check(fn: FunctionInfo, { kind, label, at }: Exit): void {
    const inLoop = (this.#loops.get(fn) ?? 0) > 0
    const inSwitch = (this.#switches.get(fn) ?? 0) > 0
    const isFine =
      label === undefined ? inLoop || (kind === 'break' && inSwitch) : this.#labels.get(fn)?.includes(label)
    if (isFine) return
    const where = at === undefined ? '' : ` (line ${at[0]}, column ${at[1]})`
    const what =
      label === undefined
        ? `\`${kind}\` stands outside of a loop`
        : `there is no label \`${label}\` around this \`${kind}\``
    throw new MandateError('INPUT_INVALID', `The program is not valid${where}: ${what}.`)
  }
}
