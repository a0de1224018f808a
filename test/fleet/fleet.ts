import { createHash } from 'node:crypto'
import { MandateError, seededRandom } from '../../src/core/index.ts'
import type { Random } from '../../src/core/index.ts'
import { isEnded } from '../../src/journal/index.ts'
import type { RunSummary } from '../../src/journal/index.ts'
import { Kernel, deterministicRandom } from '../../src/run/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { FleetJournal, rootOf } from './fleet-journal.ts'
import { FleetWorld, actsOf, isIgnored, minds, shapeOf } from './fleet-world.ts'
import { ModelQueue } from './model-engine.ts'
import { Life, Timeline } from './timeline.ts'

export interface FleetPlan {
  readonly seed: number
  readonly workers: number
  readonly runs: number
  /** Segments that a worker drives at a time. */
  readonly slots: number
  /** Runs that are started in a second. */
  readonly rate: number
  /** In a second of the fleet: workers that are killed, frozen, and asked to drain. */
  readonly kills: number
  readonly freezes: number
  readonly drains: number
  /** By how much the clocks of workers are wrong, at most. */
  readonly skewMs: number
  readonly leaseMs: number
  /** Of a thousand questions to the store, how many come to nothing. */
  readonly lost: number
  /** Of a thousand segments, how many are handed out twice. */
  readonly doubled: number
  /** Something that is wrong on purpose, so that what looks for it can be seen to find it. */
  readonly defect?: Defect | undefined
  readonly onProgress?: ((report: FleetReport) => void) | undefined
}

/**
 * - `repeats-doubtful-calls`: what may have been done is done again without a question.
 * - `forgets-the-dead`: nobody takes over what a dead worker had.
 * - `forgets-wake-ups`: an answer is stored without the segment that takes it.
 * - `loses-entries`: the store says that it has what it has not.
 * - `does-not-fence`: the store takes entries and renewals from owners whose lease is over.
 * - `drives-twice`: every segment goes to two workers, and the store gives both of them the lease.
 */
export type Defect =
  | 'repeats-doubtful-calls'
  | 'forgets-the-dead'
  | 'forgets-wake-ups'
  | 'loses-entries'
  | 'does-not-fence'
  | 'drives-twice'

export interface FleetReport {
  readonly seed: number
  readonly runs: number
  readonly finished: number
  /** Runs that wait for a person who never answers, and say so. */
  readonly suspended: number
  readonly virtualSeconds: number
  readonly kills: number
  readonly freezes: number
  readonly drains: number
  readonly answers: number
  readonly doubts: number
  readonly effects: number
  readonly engine: ModelQueue['counts']
  readonly store: FleetJournal['counts']
  readonly problems: readonly string[]
  /** Over the ends of all runs in their order: the same seed gives the same one. */
  readonly digest: string
}

interface Worker {
  readonly id: string
  readonly life: Life
  readonly kernel: Kernel
}

/** How long a run that is over is kept, so that owners that were frozen meet what has become of it. */
const KEPT_MS = 12_000
/** A dead process is noticed by its connection; a frozen one by its heartbeat. */
const DEATH_MS = 300
const HEARTBEAT_MS = 3_000
const BEAT_MS = 250
const GATEWAYS = 4
/** So long after the last start everything must be over. */
const PATIENCE_MS = 600_000

/** Lives through a fleet: workers over one store and one queue, with everything that can go wrong, by a seed. */
export async function simulateFleet(plan: FleetPlan): Promise<FleetReport> {
  return new Fleet(plan).run()
}

class Fleet {
  readonly #plan: FleetPlan
  readonly #timeline = new Timeline(1_700_000_000_000)
  readonly #random: Random
  readonly #journal: FleetJournal
  readonly #queue: ModelQueue
  readonly #world: FleetWorld
  readonly #workers: Worker[] = []
  readonly #gateways: Worker[] = []
  readonly #open = new Set<string>()
  /** Under which name a worker holds leases. */
  readonly #owners = new Map<string, string>()
  readonly #problems: string[] = []
  readonly #digest = createHash('sha256')
  readonly #waiting = new Set<string>()
  readonly #counts = { started: 0, finished: 0, kills: 0, freezes: 0, drains: 0, answers: 0, doubts: 0, workers: 0 }
  readonly #begin: number

  constructor(plan: FleetPlan) {
    this.#plan = plan
    this.#random = seededRandom(`fleet ${plan.seed}`)
    const timeline = this.#timeline
    this.#begin = timeline.now
    this.#journal = new FleetJournal({
      timeline,
      random: seededRandom(`store ${plan.seed}`),
      latencyMs: 4,
      lost: plan.lost,
      onChange: (summary) => this.#changed(summary),
      defect: plan.defect,
    })
    const clock = timeline.clock(0, (fire) => fire())
    const doubled = plan.defect === 'drives-twice' ? 1_000 : plan.doubled
    this.#queue = new ModelQueue({ clock, random: seededRandom(`queue ${plan.seed}`), doubled })
    this.#world = new FleetWorld(timeline)
  }

  async run(): Promise<FleetReport> {
    const restore = takeOverTime(this.#timeline)
    try {
      for (let index = 0; index < this.#plan.workers; index++) this.#addWorker()
      for (let index = 0; index < GATEWAYS; index++) this.#openGateway(index)
      this.#start()
      const { kills, freezes, drains } = this.#plan
      this.#repeat(kills, () => this.#kill())
      this.#repeat(kills / 4, () => this.#killGateway())
      this.#repeat(freezes, () => this.#freeze())
      this.#repeat(drains, () => this.#drain())
      const end = this.#begin + (this.#plan.runs / this.#plan.rate) * 1_000 + PATIENCE_MS
      await this.#timeline.run(() => this.#isOver() || this.#timeline.now > end)
      for (const run of this.#open) await this.#judgeOpen(run)
      for (const run of this.#waiting) await this.#close(run)
      return this.#report()
    } finally {
      restore()
    }
  }

  #isOver(): boolean {
    return this.#counts.started === this.#plan.runs && this.#open.size === this.#waiting.size
  }

  /** Starts runs one after the other, at the rate of the plan. */
  #start(): void {
    const { runs, rate } = this.#plan
    const begin = (): void => {
      const due = Math.min(runs, Math.ceil(((this.#timeline.now - this.#begin + 1) / 1_000) * rate))
      while (this.#counts.started < due) {
        const run = `r${this.#counts.started++}`
        this.#open.add(run)
        void this.#request(run)
      }
      if (this.#counts.started < runs) this.#timeline.after(1, begin)
    }
    begin()
  }

  #repeat(perSecond: number, act: () => void): void {
    if (perSecond <= 0) return
    const next = (): void => {
      if (this.#isOver()) return
      act()
      this.#timeline.after((2_000 / perSecond) * this.#random.next(), next)
    }
    this.#timeline.after((2_000 / perSecond) * this.#random.next(), next)
  }

  #addWorker(): void {
    const worker = this.#makeWorker(`worker ${this.#counts.workers++}`, this.#plan.slots)
    this.#workers.push(worker)
    void worker.kernel.attach()
  }

  #makeWorker(id: string, slots: number): Worker {
    const life = new Life()
    const skew = Math.round((this.#random.next() * 2 - 1) * this.#plan.skewMs)
    const kernel: Kernel = new Kernel({
      journal: this.#journal.view(life),
      clock: this.#timeline.clock(skew, life.pass),
      random: deterministicRandom(`${this.#plan.seed} ${id}`),
      engine: this.#engine(id, slots, life),
      limits: { leaseMs: this.#plan.leaseMs, liveSleepMs: 1_000, approvalTtlMs: 100 * PATIENCE_MS },
    })
    for (const mind of minds) kernel.registry.registerMind(mind)
    const isRepeated = this.#plan.defect === 'repeats-doubtful-calls'
    for (const tool of this.#world.tools(life, isRepeated)) kernel.registry.registerTool(tool)
    return { id, life, kernel }
  }

  #engine(id: string, slots: number, life: Life): Engine {
    const own = this.#queue.engine({ id, slots, pass: life.pass })
    const attach: Engine['attach'] = async (host) => {
      this.#owners.set(id, host.owner)
      await own.attach(host)
    }
    const engine = { ...own, attach }
    if (this.#plan.defect !== 'forgets-wake-ups') return engine
    return { ...engine, placement: { ...engine.placement!, enlist: async () => async () => {} } }
  }

  #lose(worker: Worker): void {
    if (this.#plan.defect === 'forgets-the-dead') return
    // As workers do with one that is gone or frozen: first its leases, then its segments.
    const owner = this.#owners.get(worker.id)
    this.#owners.delete(worker.id)
    void this.#journal.releaseOwner(owner ?? worker.id).then(() => this.#queue.lose(worker.id))
  }

  /** A client that hears nothing asks again, with the same id: there is one run of it. */
  async #request(run: string, attempt = 0): Promise<void> {
    const { kernel } = this.#gateways[Math.floor(this.#random.next() * GATEWAYS)]!
    const again = this.#timeline.after(10_000, () => void this.#request(run, attempt + 1))
    const spec = { kind: 'program', name: shapeOf(Number(run.slice(1))), input: run, runId: run, seed: run } as const
    const planned = await this.#try(() => kernel.plan(spec))
    if (planned !== undefined || attempt > 60) again()
  }

  /** The store tells of every change: this is how people and the end of a run are learned of, whoever dies. */
  #changed(summary: RunSummary): void {
    const { run, state, head } = summary
    const root = rootOf(run)
    if (run === root && isEnded(state) && this.#open.delete(run)) {
      this.#counts.finished += 1
      this.#digest.update(`${run} ${state} ${head.seq}\n`)
      if (state !== 'completed') this.#problems.push(`${run} is ${state}`)
      this.#timeline.after(KEPT_MS, () => void this.#close(run))
      if (this.#counts.finished % 10_000 === 0) this.#plan.onProgress?.(this.#report())
    }
    if (summary.waiting === undefined || isEnded(state)) return
    if (isIgnored(root)) return void this.#waiting.add(root)
    this.#timeline.after(1 + this.#random.next() * 5_000, () => void this.#attend(root))
  }

  /** A person looks at what is asked, and answers it, sometimes twice and in two places. */
  async #attend(root: string): Promise<void> {
    if (!this.#open.has(root)) return
    // Whoever hears nothing any more, because the place has died, looks again.
    this.#timeline.after(10_000, () => void this.#attend(root))
    const first = Math.floor(this.#random.next() * GATEWAYS)
    const places = this.#random.next() < 0.2 ? [first, (first + 1) % GATEWAYS] : [first]
    const requests = await this.#try(() => this.#gateways[first]!.kernel.approvals(root))
    for (const request of requests ?? []) {
      const answer = this.#world.answer(request)
      if (request.reason === 'in-doubt') this.#counts.doubts += 1
      this.#counts.answers += 1
      await Promise.all(
        places.map((place) => this.#try(() => this.#gateways[place]!.kernel.respond(request.id, answer))),
      )
    }
  }

  async #try<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask()
    } catch (error) {
      const code = MandateError.isInstance(error) ? error.code : 'none'
      if (!['STORE_FAILED', 'APPROVAL_STALE', 'NOT_FOUND', 'LEASE_LOST', 'RUN_STATE'].includes(code)) throw error
      return undefined
    }
  }

  #pick(): Worker | undefined {
    return this.#workers[Math.floor(this.#random.next() * this.#workers.length)]
  }

  #remove(worker: Worker): void {
    const index = this.#workers.indexOf(worker)
    if (index >= 0) this.#workers.splice(index, 1)
  }

  #kill(): void {
    const worker = this.#pick()
    if (worker === undefined) return
    this.#counts.kills += 1
    worker.life.die()
    this.#remove(worker)
    this.#timeline.after(DEATH_MS, () => this.#lose(worker))
    this.#timeline.after(1_000, () => this.#addWorker())
  }

  /** Where people answer: it may die at any moment, also between an answer and the wake-up that it causes. */
  #killGateway(): void {
    const index = Math.floor(this.#random.next() * GATEWAYS)
    this.#gateways[index]!.life.die()
    this.#openGateway(index)
  }

  #openGateway(index: number): void {
    this.#gateways[index] = this.#makeWorker(`gateway ${this.#counts.workers++}`, 0)
  }

  /** It is taken for dead after a while, and then goes on where it stopped. */
  #freeze(): void {
    const worker = this.#pick()
    if (worker?.life.state !== 'alive') return
    this.#counts.freezes += 1
    worker.life.freeze()
    const ms = this.#freezeMs()
    this.#timeline.after(HEARTBEAT_MS, () => (worker.life.state === 'frozen' ? this.#lose(worker) : undefined))
    this.#timeline.after(ms, () => {
      worker.life.thaw()
      if (ms < HEARTBEAT_MS || worker.life.state !== 'alive') return
      // Finds at its next heartbeat that it was taken for dead, and makes room for another.
      this.#remove(worker)
      this.#timeline.after(BEAT_MS, () => void worker.kernel.stop())
      this.#addWorker()
    })
  }

  /** Any time; often one after which its runs have other owners while it still counts on its leases. */
  #freezeMs(): number {
    const { leaseMs } = this.#plan
    if (this.#random.next() < 0.3) return HEARTBEAT_MS + this.#random.next() * (leaseMs - HEARTBEAT_MS)
    return 500 + this.#random.next() ** 2 * 5 * KEPT_MS
  }

  #drain(): void {
    const worker = this.#pick()
    if (worker?.life.state !== 'alive') return
    this.#counts.drains += 1
    this.#remove(worker)
    void worker.kernel.stop().then(() => this.#lose(worker))
    this.#addWorker()
  }

  async #close(run: string): Promise<void> {
    for (const act of actsOf(run, shapeOf(Number(run.slice(1)))))
      if (this.#world.count(act) > 1) this.#problems.push(`${act} was done ${this.#world.count(act)} times`)
    this.#queue.forget(run)
    this.#world.forget([...actsOf(run, shapeOf(Number(run.slice(1)))), `${run}/look`])
    this.#problems.push(
      ...(await this.#journal.close(run)).filter((each) => !this.#waiting.has(run) || !each.includes('below')),
    )
  }

  /** A run that has not ended says what it waits for. */
  async #judgeOpen(run: string): Promise<void> {
    const summary = await this.#journal.summary(run)
    const isVisible = summary?.state === 'suspended' && (summary.waiting !== undefined || summary.wakeAt !== undefined)
    if (!isVisible || !this.#waiting.has(run))
      this.#problems.push(
        `${run} is ${summary?.state ?? 'not there'} at the end (${summary?.suspendReason ?? 'no reason'}, wake at ${summary?.wakeAt ?? 'no time'}, ${this.#queue.has(run) ? 'queued' : 'not queued'})`,
      )
  }

  #report(): FleetReport {
    const { finished, kills, freezes, drains, answers, doubts } = this.#counts
    return {
      seed: this.#plan.seed,
      runs: this.#plan.runs,
      finished,
      suspended: this.#waiting.size,
      virtualSeconds: Math.round((this.#timeline.now - this.#begin) / 1_000),
      kills,
      freezes,
      drains,
      answers,
      doubts,
      effects: this.#world.acts,
      engine: this.#queue.counts,
      store: this.#journal.counts,
      problems: this.#problems.slice(0, 20),
      digest: this.#digest.copy().digest('hex').slice(0, 16),
    }
  }
}

/** Leases are measured by the time of the machine, which must pass as that of the fleet does. */
function takeOverTime(timeline: Timeline): () => void {
  const { now: date } = Date
  const steady = performance.now.bind(performance)
  const begin = timeline.now
  Date.now = () => timeline.now
  performance.now = () => timeline.now - begin
  return () => {
    Date.now = date
    performance.now = steady
  }
}
