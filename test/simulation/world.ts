import { setImmediate as nextTurn } from 'node:timers/promises'
import { seededRandom } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import type { ApprovalRequest, ApprovalResponse } from '../../src/run/index.ts'
import type { Tool } from '../../src/tool/index.ts'

interface Leaf {
  readonly do: string
  readonly label: string
  readonly failures?: number | undefined
}

/** One process, as long as it lives: what has died does and hears nothing more. */
export interface Life {
  readonly alive: boolean
}

/** The outside world of a simulated run. It outlives processes, and remembers what was really done in it. */
export class World {
  /** How often each thing was done. */
  readonly done: Map<string, number> = new Map()
  readonly #excused = new Set<string>()
  readonly #repeatable = new Set<string>()
  readonly #tries = new Map<string, number>()
  readonly #seed: number
  readonly #slowness: number

  /** `slowness`: how many turns of the event loop a call may take. */
  constructor(seed: number, slowness: number) {
    this.#seed = seed
    this.#slowness = slowness
  }

  /** How many attempts at calls reached it that a budget must have counted. A repeatable call counts once, since it may begin
   *  before its start is durable; an attempt of which a person said that it did not happen is not counted. */
  get calls(): number {
    let calls = -this.#excused.size
    for (const [label, tries] of this.#tries) calls += this.#repeatable.has(label) ? 1 : tries
    return calls
  }

  tools(life: Life, cancel: () => Promise<void>): Tool[] {
    const make = (name: string, more: Partial<Tool> = {}): Tool => ({
      name,
      inputSchema: {},
      risk: 'read',
      validate: (input) => ({ valid: true, value: input }),
      run: (input) => this.#act(life, input as unknown as Leaf, cancel),
      ...more,
    })
    const retry = { attempts: 9, backoffMs: 500 }
    return [
      make('act'),
      make('look', { idempotent: true }),
      make('ask', { needsApproval: true }),
      make('denied'),
      make('flaky', { retry }),
      make('cancel', { idempotent: true }),
    ]
  }

  /** What the test's human says: yes, what was asked for, and the truth about what is in doubt. */
  answer({ id, reason, input }: ApprovalRequest): ApprovalResponse {
    if (reason === 'approval') return { answer: 'approve' }
    if (reason === 'question') return { answer: 'answer', value: `answer to ${(input as { text: string }).text}` }
    const { label } = input as unknown as Leaf
    if (this.done.has(label)) return { answer: 'happened', value: valueOf(label) }
    this.#excused.add(id)
    return { answer: 'not-happened' }
  }

  async #act(life: Life, leaf: Leaf, cancel: () => Promise<void>): Promise<Json> {
    if (!life.alive) return forEver()
    const tries = (this.#tries.get(leaf.label) ?? 0) + 1
    this.#tries.set(leaf.label, tries)
    if (leaf.do === 'look') this.#repeatable.add(leaf.label)
    if (tries <= (leaf.failures ?? 0)) {
      await this.#takeTime(leaf.label, tries)
      if (life.alive) throw new Error(`not this time (${tries})`)
      return forEver()
    }
    if (leaf.do === 'cancel') await cancel()
    // Done at once or at the end of the call: a crash in between leaves both possible.
    const isEarly = seededRandom(`early ${this.#seed} ${leaf.label}`).next() < 0.5
    if (isEarly) this.#do(leaf.label)
    await this.#takeTime(leaf.label, tries)
    if (!life.alive) return forEver()
    if (!isEarly) this.#do(leaf.label)
    return valueOf(leaf.label)
  }

  #do(label: string): void {
    this.done.set(label, (this.done.get(label) ?? 0) + 1)
  }

  async #takeTime(label: string, tries: number): Promise<void> {
    const turns = Math.floor(seededRandom(`turns ${this.#seed} ${label} ${tries}`).next() * this.#slowness)
    for (let turn = 0; turn < turns; turn++) await nextTurn()
  }
}

function valueOf(label: string): string {
  return `did ${label}`
}

function forEver(): Promise<never> {
  return new Promise(() => {})
}
