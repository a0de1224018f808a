import { MandateError, canonical } from '../../../core/index.ts'
import type { JsonObject } from '../../../core/index.ts'
import type { Procedures } from './procedures.ts'

interface ProcedureLimits {
  /** Maximum programs per owner. */
  readonly perOwner: number
  /** Maximum programs of all owners. */
  readonly total: number
  readonly bytes: number
  readonly ttlMs: number
}

const PROCEDURE_LIMITS: ProcedureLimits = Object.freeze({
  perOwner: 100,
  total: 1_000,
  bytes: 100 * 1024,
  ttlMs: 24 * 3_600_000,
})

const TTL_MS = 3_600_000

interface Kept {
  readonly owner: Owner
  readonly program: JsonObject
  readonly expires: number
}

/** The owner of a stored program: a named identity, or a run. */
type Owner = string | object

/** Stored programs by token, with limits per owner. A guest can lower size and lifetime, but not raise them. */
export class ProcedureStore {
  readonly #kept = new Map<string, Kept>()
  readonly #limits: ProcedureLimits

  constructor(limits: ProcedureLimits = PROCEDURE_LIMITS) {
    this.#limits = limits
  }

  /** The view of one owner. */
  of(owner: Owner): Procedures {
    return {
      keep: (program, options) => this.#keep(owner, program, options),
      find: (token, now) => this.#find(owner, token, now),
      release: (token) => this.#kept.get(token)?.owner === owner && this.#kept.delete(token),
      clearExpired: (now) => this.#clearExpired(now, owner),
    }
  }

  #keep(owner: Owner, program: JsonObject, options: Parameters<Procedures['keep']>[1]): string {
    const { token, now, ttlMs = TTL_MS, maxBytes = this.#limits.bytes } = options
    const max = Math.min(maxBytes, this.#limits.bytes)
    const size = canonical(program).length
    if (size > max) throw full(`The procedure has ${size} bytes; ${max} are allowed.`)
    this.#clearExpired(now)
    const own = [...this.#kept.values()].filter((kept) => kept.owner === owner).length
    if (own >= this.#limits.perOwner) throw full(`${own} procedures are kept already. Release some.`)
    if (this.#kept.size >= this.#limits.total) throw full('No more procedures can be kept here.')
    this.#kept.set(token, { owner, program, expires: now + Math.min(Math.max(ttlMs, 0), this.#limits.ttlMs) })
    return token
  }

  #find(owner: Owner, token: string, now: number): JsonObject {
    const kept = this.#kept.get(token)
    if (kept !== undefined && kept.owner === owner && kept.expires > now) return kept.program
    throw new MandateError(
      'NOT_FOUND',
      `There is no procedure "${token.slice(0, 60)}" here. It may have expired, or belong to another owner.`,
    )
  }

  #clearExpired(now: number, owner?: Owner): number {
    let count = 0
    for (const [token, kept] of this.#kept) {
      if (kept.expires > now || (owner !== undefined && kept.owner !== owner)) continue
      this.#kept.delete(token)
      count += 1
    }
    return count
  }
}

function full(message: string): MandateError {
  return new MandateError('LIMIT_EXCEEDED', message)
}
