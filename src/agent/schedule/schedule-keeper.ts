import { MandateError, isSame, messageOf, tellOfHost } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { redactedBy } from '../../run/index.ts'
import type { Kernel } from '../../run/index.ts'
import type { ScheduleOperations } from './schedules.ts'
import { NEXT_NOTE, SCHEDULE_MIND, scheduleMind } from './schedule-mind.ts'
import { nextTime, occurrenceId, occurrenceInput, readSchedule, sessionOf } from './schedule-types.ts'
import type { Occurrence, Schedule, ScheduleInfo } from './schedule-types.ts'

/** Occurrences that are not over: waiting or in progress. */
const OPEN = { name: SCHEDULE_MIND, parent: null, state: ['suspended', 'running'] }

/** Polling interval in which a service that executes schedules reads those that other processes have added. */
const LOOK_EVERY_MS = 15_000

/**
 * Keeps the schedules of a service. The next occurrence of each is a run that sleeps in the store, under an id derived from schedule and time: it
 * survives restarts, exists once however many processes know of it, and is executed by one of them.
 */
export class ScheduleKeeper implements ScheduleOperations {
  readonly #kernel: Kernel
  readonly #identity: Identity
  readonly #mayRun: (agent: string, by: Identity) => unknown
  #stopLooking: (() => void) | undefined
  #isStopped = false

  /** `mayRun` throws unless the identity may run the agent. */
  constructor(kernel: Kernel, identity: Identity, mayRun: (agent: string, by: Identity) => unknown) {
    this.#kernel = kernel
    this.#identity = identity
    this.#mayRun = mayRun
    kernel.registry.registerMind(
      scheduleMind({
        now: () => kernel.clock.now(),
        plan: (schedule, at) => this.#planAfter(schedule, at),
        isBusy: async (schedule, at) => (await this.#open(schedule.id)).some(({ input }) => input.at < at),
        wake: async (run, message, time) => {
          await kernel.steer(run, message, time.identity, time.runId)
          void kernel.resume(run).catch(() => {})
        },
      }),
    )
  }

  /** Adds a schedule, or changes the one with this id, if the identity may. */
  async put(given: Schedule, by: Identity): Promise<ScheduleInfo> {
    const schedule = readSchedule(given)
    if (schedule.agent === undefined) await this.#kernel.authorize(by, 'run-agent', schedule.wake!)
    else this.#mayRun(schedule.agent, by)
    const waiting = (await this.#open(schedule.id)).filter(({ isWaiting }) => isWaiting)
    const same = waiting.find(({ input }) => isSame(input.schedule as unknown as Json, schedule as unknown as Json))
    for (const { run } of waiting) if (run !== same?.run) await this.#end(run, 'the schedule was changed', by)
    const at = same?.input.at ?? nextTime(schedule, this.#kernel.clock.now())
    const runId = same?.run ?? (await this.#plan(schedule, at, by))
    await this.start()
    // As it is stored, and as it will be listed: without the secrets of the given one.
    const stored = (await this.#read(runId))?.input.schedule
    return {
      ...(stored ?? (redactedBy(this.#kernel, schedule as unknown as Json) as unknown as Schedule)),
      nextAt: at,
      runId,
    }
  }

  /** The schedules that the identity may see, soonest first. */
  async list(by: Identity): Promise<readonly ScheduleInfo[]> {
    const known = new Set((await this.#kernel.list(OPEN, by)).map(({ run }) => run))
    const open = (await this.#open()).filter(({ run, isWaiting }) => isWaiting && known.has(run))
    const infos = open.map(({ run, input: { schedule, at } }) => ({ ...schedule, nextAt: at, runId: run }))
    return infos.sort((a, b) => a.nextAt - b.nextAt)
  }

  /** Removes a schedule. A run of it that is under way continues; cancel it by its id. */
  async remove(id: string, by: Identity): Promise<void> {
    const ended = new Set<string>()
    for (;;) {
      const waiting = (await this.#open(id)).filter(({ run, isWaiting }) => isWaiting && !ended.has(run))
      if (waiting.length === 0) break
      for (const { run } of waiting) await this.#end(run, 'the schedule was removed', by)
      // An occurrence that has started may have stored the next one before it read that it is cancelled.
      for (const { run } of waiting) ended.add(run)
    }
    if (ended.size === 0)
      throw new MandateError('NOT_FOUND', `There is no schedule "${id}". List them with: mandate schedule list`)
  }

  /** Executes schedules from now on, including those that other processes add to the store. `put` does so as well. */
  async start(): Promise<void> {
    if (this.#isStopped || this.#stopLooking !== undefined) return
    this.#stopLooking = () => {}
    await this.#look()
  }

  stop(): void {
    this.#isStopped = true
    this.#stopLooking?.()
  }

  /**
   * Schedules the occurrences that are due before the next poll, regardless of the process that stored them, and takes over those whose process ended while
   * it had them in memory.
   */
  async #look(): Promise<void> {
    const kernel = this.#kernel
    const until = kernel.clock.now() + LOOK_EVERY_MS
    try {
      await kernel.attach()
      const open = await kernel.journal.list(OPEN)
      for (const { run, wakeAt, state, suspendReason } of open)
        if (state === 'running' || (suspendReason === 'interrupt' && wakeAt === undefined)) this.#takeUp(run)
        else if (suspendReason === 'timer' && wakeAt! <= until) await kernel.engine.schedule(run, wakeAt!)
    } catch (error) {
      tellOfHost(kernel, 'handler-error', '*', { where: 'schedules', message: messageOf(error) })
    }
    if (!this.#isStopped) this.#stopLooking = kernel.clock.timer(LOOK_EVERY_MS, () => void this.#look(), true)
  }

  async #end(run: string, reason: string, by: Identity): Promise<void> {
    await this.#kernel.cancel(run, reason, by)
    // Driven here, the run reads the cancellation and ends; if another live process drives it, that process does the same.
    await this.#kernel.resume(run).catch(() => {})
  }

  /** Drives a run, unless another live process does: the store refuses a second driver. */
  #takeUp(run: string): void {
    if (!this.#isStopped) void this.#kernel.resume(run).catch(() => {})
  }

  /** Stores the occurrence after one that has started. Missed ones are left out. */
  async #planAfter(schedule: Schedule, at: number): Promise<number> {
    const open = await this.#open(schedule.id)
    const waiting = open.find(({ input }) => input.at > at)
    if (waiting !== undefined) return waiting.input.at
    const next = nextTime(schedule, Math.max(at, this.#kernel.clock.now()))
    await this.#plan(schedule, next, open.find(({ input }) => input.at === at)?.identity ?? this.#identity)
    return next
  }

  async #plan(schedule: Schedule, at: number, identity: Identity): Promise<string> {
    const { id, budget } = schedule
    return this.#kernel.plan({
      kind: 'program',
      name: SCHEDULE_MIND,
      runId: occurrenceId(id, at),
      sessionId: sessionOf(id),
      input: occurrenceInput(schedule, at),
      identity,
      ...(budget === undefined ? {} : { budget }),
    })
  }

  async #open(id?: string): Promise<readonly Open[]> {
    const runs = await this.#kernel.journal.list(id === undefined ? OPEN : { ...OPEN, sessionId: sessionOf(id) })
    const open = await Promise.all(runs.map(({ run }) => this.#read(run)))
    return open.filter((one) => one !== undefined)
  }

  async #read(run: string): Promise<Open | undefined> {
    let start: Pick<Open, 'input' | 'identity'> | undefined
    for await (const entry of this.#kernel.journal.read(run)) {
      if (isErased(entry)) return undefined
      if (entry.type === 'run-start')
        start = { input: entry.data.input as unknown as Occurrence, identity: entry.data.identity }
      if (entry.type === 'note' && entry.data.name === NEXT_NOTE) return { run, ...start!, isWaiting: false }
    }
    return start === undefined ? undefined : { run, ...start, isWaiting: true }
  }
}

interface Open {
  readonly run: string
  readonly input: Occurrence
  /** The identity that added the schedule. */
  readonly identity: Identity
  /** Whether it has not started, because it is not due yet or no process was running to execute it. */
  readonly isWaiting: boolean
}
