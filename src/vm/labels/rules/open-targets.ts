import type { Ex } from '../../compile/ir.ts'
import type { St } from '../../compile/ir-statements.ts'

/** The loops, switches and labels of a region that enclose the current node: an exit to one of them stays in the region. */
export class OpenTargets {
  readonly #labels: string[] = []
  #loops = 0
  #switches = 0

  /** Calls `work` inside of a node. */
  within(node: Ex | St, work: () => void): void {
    const isLoop = node.k === 'loop' || node.k === 'forof'
    const labels = node.k === 'labeled' ? [node.label] : isLoop ? node.labels : []
    if (isLoop) this.#loops += 1
    if (node.k === 'switch') this.#switches += 1
    this.#labels.push(...labels)
    work()
    if (isLoop) this.#loops -= 1
    if (node.k === 'switch') this.#switches -= 1
    this.#labels.length -= labels.length
  }

  has(kind: 'break' | 'continue', label: string | undefined): boolean {
    if (label !== undefined) return this.#labels.includes(label)
    return this.#loops > 0 || (kind === 'break' && this.#switches > 0)
  }
}
