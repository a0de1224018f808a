import { seededRandom } from '../../core/index.ts'
import type { Random } from '../../core/index.ts'

/**
 * One task of a mind. A key is the task's path plus a name, numbered when it repeats inside the task: `turn:3/model`, `turn:3/tool:1`,
 * `turn:3/tool:1#2`. A counter for the whole run would depend on timing.
 */
export class Task {
  readonly path: string
  readonly #seed: string
  readonly #above: Task | undefined
  readonly #counts = new Map<string, number>()
  #random: Random | undefined
  #isClosed = false
  #cuts: Set<(reason: Error) => void> | undefined
  /** Steps counted in this task and in those below it. */
  steps = 0
  /** The number of effects that this task, and those below it, wait for. */
  waits = 0

  constructor(path: string, seed: string, above?: Task) {
    this.path = path
    this.#seed = seed
    this.#above = above
  }

  /** The next key for this name in this task. */
  key(name: string): string {
    const next = this.peek(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    return next
  }

  /** The key that `key` would return next. */
  peek(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1
    const numbered = count === 1 ? name : `${name}#${count}`
    return this.path === '' ? numbered : `${this.path}/${numbered}`
  }

  child(name: string): Task {
    return new Task(this.key(name), this.#seed, this)
  }

  /** Closes the task: code that still runs in it, or below it, can request nothing more. */
  close(reason?: Error): void {
    this.#isClosed = true
    if (reason === undefined) return
    for (const cut of this.#cuts ?? []) cut(reason)
  }

  /** Calls back when this task, or one above it, is closed with a reason, unless the returned function has been called before. */
  onCut(cut: (reason: Error) => void): () => void {
    const cuts = (this.#cuts ??= new Set())
    cuts.add(cut)
    const stopAbove = this.#above?.onCut(cut)
    return () => {
      cuts.delete(cut)
      stopAbove?.()
    }
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#above?.isClosed === true
  }

  addWaits(count: 1 | -1): void {
    this.waits += count
    this.#above?.addWaits(count)
  }

  addSteps(count: number): void {
    this.steps += count
    this.#above?.addSteps(count)
  }

  /** One source per task, so that parallel tasks do not affect each other's numbers. */
  get random(): Random {
    return (this.#random ??= seededRandom(`${this.#seed}/${this.path}`))
  }
}
