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
  /** Why it is driven: all of them are dealt with when this job is over. */
  causes: Set<string>
  /** What came while it was claimed. */
  later: Set<string>
  /** The claim that counts; an earlier one that ends later is ignored. */
  claim: number
  member: Member | undefined
}

interface Member {
  readonly id: string
  slots: number
  host: EngineHost | undefined
  readonly pass: (fire: () => void) => void
  readonly claimed: Set<Job>
  readonly segments: Set<Promise<unknown>>
  isGone: boolean
}

interface Alarm {
  readonly causes: Iterable<string>
  readonly stop: () => void
}

export interface MemberOptions {
  readonly id: string
  /** How many segments it drives at a time; none for a process that only hands in and reads. */
  readonly slots: number
  /** Lets something happen in the member's process, if and when that runs. */
  readonly pass?: ((fire: () => void) => void) | undefined
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
  readonly #timers = new Map<string, Alarm>()
  /** The causes that were ever given for a run: each is dealt with once. */
  readonly #known = new Map<string, Set<string>>()
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()
  #isPumping = false
  /** Segments that were handed out, those that were handed out again, and those of a claim that no longer counted. */
  readonly counts = { segments: 0, returned: 0, stale: 0, doubled: 0, held: 0 }

  constructor(options: ModelOptions) {
    this.#options = { pollMs: 5, retryMs: 1_000, doubled: 0, ...options }
  }

  /** The engine of one process. */
  engine({ id, slots, pass = (fire) => fire() }: MemberOptions): Engine {
    const member: Member = {
      id,
      slots,
      host: undefined,
      pass,
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
      dispatch: async (run, cause) => this.enqueue(run, cause),
      schedule: async (run, at) => this.schedule(run, at),
      drain: async () => this.#leave(member),
      placement: {
        // The store calls it in the moment in which it stores the signal.
        enlist: async (run, cause) => async () => this.enqueue(run, cause),
        settled: (run, cause) => this.#settled(run, cause),
      },
      stop: async () => {
        this.#leave(member)
        while (member.segments.size > 0) await Promise.allSettled([...member.segments])
        this.lose(id)
      },
    }
  }

  /** One job per run: what comes for a run whose job is claimed is remembered. */
  enqueue(run: string, cause: string): void {
    const known = this.#known.get(run) ?? new Set()
    this.#known.set(run, known)
    if (known.has(cause)) return
    known.add(cause)
    this.#want(run, [cause])
  }

  schedule(run: string, at: number, causes: Iterable<string> = []): void {
    const { clock } = this.#options
    this.#timers.get(run)?.stop()
    const stop = clock.timer(at - clock.now(), () => this.#want(run, []))
    this.#timers.set(run, { causes, stop })
  }

  /** Forgets a run that is over. */
  forget(run: string): void {
    this.#known.delete(run)
  }

  #want(run: string, causes: Iterable<string>): void {
    const alarm = this.#timers.get(run)
    alarm?.stop()
    this.#timers.delete(run)
    const wanted = new Set([...causes, ...(alarm?.causes ?? [])])
    const job = this.#jobs.get(run)
    if (job === undefined) return this.#putReady(run, wanted)
    // A wake-up without a cause counts as well.
    for (const cause of wanted.size === 0 ? [''] : wanted)
      (job.member === undefined ? job.causes : job.later).add(cause)
  }

  #settled(run: string, cause: string): Promise<void> {
    const place = `${run} ${cause}`
    const waiting = this.#waiting.get(place) ?? Promise.withResolvers<void>()
    this.#waiting.set(place, waiting)
    const job = this.#jobs.get(run)
    const isUnderWay = job?.causes.has(cause) === true || job?.later.has(cause) === true
    const isAlarmed = [...(this.#timers.get(run)?.causes ?? [])].includes(cause)
    if (!isUnderWay && !isAlarmed) this.#settle(run, [cause])
    return waiting.promise
  }

  #settle(run: string, causes: Iterable<string>): void {
    for (const cause of causes) {
      this.#waiting.get(`${run} ${cause}`)?.resolve()
      this.#waiting.delete(`${run} ${cause}`)
    }
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
      this.#putReady(job.run, allOf(job), job.claim)
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

  #putReady(run: string, causes: Set<string>, claim = 0): void {
    const job: Job = { run, causes, later: new Set(), claim, member: undefined }
    this.#jobs.set(run, job)
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
      const segment = member.host!.segment(job.run).then(
        (outcome) => member.pass(() => this.#ended(member, job, claim, outcome)),
        (error: unknown) => member.pass(() => this.#failed(member, job, { claim, error })),
      )
      member.segments.add(segment)
      void segment.finally(() => member.segments.delete(segment))
    })
  }

  #ended(member: Member, job: Job, claim: number, outcome: RunOutcome): void {
    if (!this.#finish(member, job, claim)) return
    const { reason } = outcome as { reason?: string }
    // What was put down for no reason of its own goes on elsewhere, and what could not be written is tried again.
    if (outcome.state === 'suspended' && reason === 'interrupt') this.#putReady(job.run, allOf(job))
    else if (outcome.state === 'suspended' && reason === 'disk') this.#retry(job)
    else this.#over(job)
  }

  #failed(member: Member, job: Job, { claim, error }: { claim: number; error: unknown }): void {
    if (!this.#finish(member, job, claim)) return
    const code = MandateError.isInstance(error) ? error.code : undefined
    if (code === 'LEASE_HELD') this.counts.held += 1
    if (code === 'LEASE_HELD' || code === 'LEASE_LOST' || code === 'STORE_FAILED' || code === 'CLOSED')
      return this.#retry(job)
    member.host?.onFault(job.run, error)
    this.#over(job)
  }

  #over(job: Job): void {
    this.#settle(job.run, job.causes)
    if (job.later.size > 0) this.#want(job.run, job.later)
  }

  #retry(job: Job): void {
    const { clock, retryMs } = this.#options
    this.schedule(job.run, clock.now() + retryMs, allOf(job))
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

function allOf({ causes, later }: Job): Set<string> {
  return new Set([...causes, ...later])
}
