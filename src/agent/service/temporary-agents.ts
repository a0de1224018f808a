import { MandateError } from '../../core/index.ts'
import type { Clock, FieldNames } from '../../core/index.ts'
import { RISKS } from '../../gate/index.ts'
import type { Mandate, Rule } from '../../gate/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { AgentConfig, AgentSpec } from '../config/config-types.ts'

/** A temporary agent: only its owner may run it, until it expires. */
export interface OnDemandOptions {
  readonly config: AgentConfig
  /** The only identity that may run it: the service itself by default. */
  readonly owner?: Identity | undefined
  readonly ttlMs: number
}

export const ON_DEMAND_OPTIONS: FieldNames<OnDemandOptions> = { config: 'object', owner: 'object', ttlMs: 'number' }

export interface OnDemandAgent {
  readonly spec: AgentSpec
  readonly owner: Identity
  readonly expiresAt: number
}

/** How many expired agents are remembered for the error message about them. */
const REMEMBERED_MAX = 1_000

/** The temporary agents with their owners and expiry times. */
export class OnDemandAgents {
  readonly #clock: Clock
  readonly #remove: (id: string) => void
  readonly #here = new Map<string, OnDemandAgent>()
  readonly #gone = new Map<string, number>()

  constructor(clock: Clock, remove: (id: string) => void) {
    this.#clock = clock
    this.#remove = remove
  }

  add(spec: AgentSpec, owner: Identity, ttlMs: number): OnDemandAgent {
    const agent = Object.freeze({ spec, owner, expiresAt: this.#clock.now() + ttlMs })
    this.#gone.delete(spec.id)
    this.#here.set(spec.id, agent)
    return agent
  }

  /** Removes expired agents. */
  sweep(): void {
    const now = this.#clock.now()
    for (const [id, { expiresAt }] of this.#here) if (expiresAt <= now) this.#expire(id, expiresAt)
  }

  /** Throws for an expired agent or one of another owner. Returns the remaining milliseconds of a temporary agent. */
  check(id: string, by?: Identity): number | undefined {
    this.sweep()
    const over = this.#gone.get(id)
    if (over !== undefined) {
      const when = new Date(over).toISOString()
      throw new MandateError(
        'EXPIRED',
        `The agent "${id}" was made for a while, which ended at ${when}. Its runs can still be read; make it again to run it.`,
      )
    }
    const agent = this.#here.get(id)
    if (agent === undefined) return undefined
    if (by !== undefined && by.id !== agent.owner.id)
      throw new MandateError('DENIED', `"${by.id}" may not run "${id}": it was made for "${agent.owner.id}" alone.`)
    return agent.expiresAt - this.#clock.now()
  }

  #expire(id: string, expiresAt: number): void {
    this.#here.delete(id)
    this.#remove(id)
    this.#gone.set(id, expiresAt)
    const [oldest] = this.#gone.keys()
    if (this.#gone.size > REMEMBERED_MAX && oldest !== undefined) this.#gone.delete(oldest)
  }
}

/** Returns the mandate of a temporary agent: nothing destructive, and nothing in another identity's name, regardless of its configuration. */
export function onDemandMandate(owner: Identity, mandate: Mandate = {}): Mandate {
  const { riskMax, rules = [] } = mandate
  const reason = `This agent was made for "${owner.id}" alone.`
  const others: Rule = { id: 'owner-only', when: { 'identity.id': { ne: owner.id } }, then: 'deny', reason }
  return {
    ...mandate,
    riskMax: riskMax === undefined || riskMax === RISKS.at(-1) ? 'exec' : riskMax,
    rules: [others, ...rules],
  }
}

export function checkTtl(ttlMs: unknown): void {
  if (typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs > 0) return
  throw new MandateError('CONFIG_INVALID', '`ttlMs` must say for how many milliseconds the agent is made: above 0.')
}
