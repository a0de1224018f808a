import { MandateError } from '../../src/core/index.ts'
import type { Clock, Random } from '../../src/core/index.ts'
import type { Engine, EngineHost, RunOutcome } from '../../src/run/index.ts'

/** How the modelled engine behaves, in milliseconds. */
export interface ModelOptions {
  readonly clock: Clock
  readonly random: Random
  /** A segment is handed out at most so long after it could be. */
  readonly pollMs?: number
  /** How long a run that another process holds is left alone. */
  readonly retryMs?: number
  /** How many of a thousand segments are handed to two members at once. */
  readonly doubled?: number
}

interface Job {
  readonly run: string
  /** The claim that counts; an earlier one that ends later is ignored. */
  claim: number
  member: Member | undefined
  /** Something came while it was claimed. */
  again: boolean
}

interface Member {
  readonly id: string
  slots: number
  host: EngineHost | undefined
  readonly pass: (fire: () => void) => void
  readonly drive: (host: EngineHost, run: string) => Promise<RunOutcome>
  readonly claimed: Set<Job>
  readonly segments: Set<Promise<unknown>>
  isGone: boolean
}

export interface MemberOptions {
  readonly id: string
  /** How many segments it drives at a time; none for a process that only hands in and reads. */
  readonly slots: number
  /** Lets something happen in the member's process, if and when that runs. */
  readonly pass?: ((fire: () => void) => void) | undefined
  readonly drive?: ((host: EngineHost, run: string) => Promise<RunOutcome>) | undefined
}

/**
 * What every engine past one machine has in common, in memory: one durable queue with one job per run, timers that outlive processes, claims, and the
 * return of the claims of members that are gone. It is told by its user who is gone.
 */
export class ModelQueue {
  readonly #options: Required<ModelOptions>
  readonly #jobs = new Map<string, Job>()
  #ready: Job[] = []
  readonly #members = new Map<string, Member>()
  readonly #free: Member[] = []
  readonly #timers = new Map<string, { readonly at: number; readonly stop: () => void }>()
  #isPumping = false
  /** Segments that were handed out, those that were handed out again, and those of a claim that no longer counted. */
  readonly counts = { segments: 0, returned: 0, stale: 0, doubled: 0, held: 0 }

  constructor(options: ModelOptions) {
    this.#options = { pollMs: 5, retryMs: 1_000, doubled: 0, ...options }
  }

  /** The engine of one process. */
  engine({ id, slots, pass = (fire) => fire(), drive }: MemberOptions): Engine {
    const member: Member = {
      id,
      slots,
      host: undefined,
      pass,
      drive: drive ?? ((host, run) => host.segment(run)),
      claimed: new Set(),
      segments: new Set(),
      isGone: false,
    }
    return {
      name: 'model',
      attach: async (host) => {
        member.host = host
        this.#members.set(id, member)
        if (slots > 0) this.#free.push(member)
        for (let page = await host.sleeping(200); page.length > 0; page = await host.sleeping(200, page.at(-1)))
          for (const { run, at } of page) if (!this.#timers.has(run)) this.schedule(run, at)
        this.#pump()
      },
      dispatch: async (run) => this.enqueue(run),
      schedule: async (run, at) => this.schedule(run, at),
      stop: async () => {
        this.#leave(member)
        while (member.segments.size > 0) await Promise.allSettled([...member.segments])
        this.lose(id)
      },
    }
  }

  /** One job per run: what comes for a run whose job is claimed is remembered. */
  enqueue(run: string): void {
    this.#timers.get(run)?.stop()
    this.#timers.delete(run)
    const known = this.#jobs.get(run)
    if (known !== undefined) {
      known.again ||= known.member !== undefined
      return
    }
    this.#putReady({ run, claim: 0, member: undefined, again: false })
  }

  schedule(run: string, at: number): void {
    this.#timers.get(run)?.stop()
    const stop = this.#options.clock.timer(at - this.#options.clock.now(), () => this.enqueue(run))
    this.#timers.set(run, { at, stop })
  }

  /** Returns what a member had claimed; it may in truth still be driving. */
  lose(id: string): void {
    const member = this.#members.get(id)
    if (member === undefined) return
    this.#leave(member)
    this.#members.delete(id)
    for (const job of member.claimed) {
      this.counts.returned += 1
      this.#jobs.delete(job.run)
      this.#putReady({ run: job.run, claim: job.claim, member: undefined, again: false })
    }
    member.claimed.clear()
  }

  /** Takes back all timers. */
  close(): void {
    for (const { stop } of this.#timers.values()) stop()
    this.#timers.clear()
  }

  /** Whether a run has a job or a timer: whoever waits for nothing and has neither would never be driven again. */
  has(run: string): boolean {
    return this.#jobs.has(run) || this.#timers.has(run)
  }

  #leave(member: Member): void {
    member.isGone = true
    const index = this.#free.indexOf(member)
    if (index >= 0) this.#free.splice(index, 1)
  }

  #putReady(job: Job): void {
    this.#jobs.set(job.run, job)
    this.#ready.push(job)
    this.#pump()
  }

  /** Hands out what is ready, to any members that have room. */
  #pump(): void {
    if (this.#isPumping || this.#ready.length === 0 || this.#free.length === 0) return
    this.#isPumping = true
    const { clock, random, pollMs } = this.#options
    clock.timer(Math.ceil(random.next() * pollMs), () => {
      this.#isPumping = false
      const ready = this.#ready
      let taken = 0
      while (taken < ready.length && this.#free.length > 0) this.#handOut(ready[taken++]!)
      this.#ready = ready.slice(taken)
      this.#pump()
    })
  }

  #handOut(job: Job): void {
    const { random, doubled } = this.#options
    const member = this.#take()
    job.claim += 1
    job.member = member
    member.claimed.add(job)
    this.#deliver(member, job, job.claim)
    if (random.next() * 1_000 >= doubled || this.#free.length === 0) return
    this.counts.doubled += 1
    this.#deliver(this.#take(), job, -1)
  }

  #take(): Member {
    const index = Math.floor(this.#options.random.next() * this.#free.length)
    const member = this.#free[index]!
    if (--member.slots === 0) this.#free.splice(index, 1)
    return member
  }

  #deliver(member: Member, job: Job, claim: number): void {
    this.counts.segments += 1
    member.pass(() => {
      const host = member.host!
      const segment = member.drive(host, job.run).then(
        (outcome) => member.pass(() => this.#ended(member, job, claim, outcome)),
        (error: unknown) => member.pass(() => this.#failed(member, job, { claim, error })),
      )
      member.segments.add(segment)
      void segment.finally(() => member.segments.delete(segment))
    })
  }

  #ended(member: Member, job: Job, claim: number, outcome: RunOutcome): void {
    if (!this.#finish(member, job, claim)) return
    // What was put down for no reason of its own goes on elsewhere.
    const isPutDown = outcome.state === 'suspended' && outcome.reason === 'interrupt'
    const isFailing = outcome.state === 'suspended' && outcome.reason === 'disk'
    if (isFailing) this.#later(job.run)
    else if (job.again || isPutDown) this.enqueue(job.run)
  }

  #failed(member: Member, job: Job, { claim, error }: { claim: number; error: unknown }): void {
    if (!this.#finish(member, job, claim)) return
    const code = MandateError.isInstance(error) ? error.code : undefined
    if (code === 'LEASE_HELD') this.counts.held += 1
    if (code === 'LEASE_HELD' || code === 'LEASE_LOST' || code === 'STORE_FAILED' || code === 'CLOSED')
      return this.#later(job.run)
    member.host?.onFault(job.run, error)
    if (job.again) this.enqueue(job.run)
  }

  #later(run: string): void {
    const { clock, retryMs } = this.#options
    if (!this.#timers.has(run)) this.schedule(run, clock.now() + retryMs)
  }

  /** Whether it was the claim that counts. */
  #finish(member: Member, job: Job, claim: number): boolean {
    member.slots += 1
    if (member.slots === 1 && !member.isGone) this.#free.push(member)
    this.#pump()
    if (claim === -1) return false
    if (this.#jobs.get(job.run) !== job || !member.claimed.delete(job)) {
      this.counts.stale += 1
      return false
    }
    this.#jobs.delete(job.run)
    return true
  }
}
