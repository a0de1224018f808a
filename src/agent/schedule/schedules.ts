import type { Identity } from '../../journal/index.ts'
import type { Schedule, ScheduleInfo } from './schedule-types.ts'

/** What a service does with schedules, in whichever name. */
export interface ScheduleOperations {
  put(schedule: Schedule, by: Identity): Promise<ScheduleInfo>
  list(by: Identity): Promise<readonly ScheduleInfo[]>
  remove(id: string, by: Identity): Promise<void>
  start(): Promise<void>
}

/** The schedules of a service, in the name of one identity. They are kept in its store: they survive restarts, and one process carries each time out. */
export class Schedules {
  readonly #keeper: ScheduleOperations
  readonly #identity: Identity

  constructor(keeper: ScheduleOperations, identity: Identity) {
    this.#keeper = keeper
    this.#identity = identity
  }

  /**
   * Adds a schedule, or changes the one of this id. The same again changes nothing, so every process may say it when it starts.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * import { scripted } from 'mandate/model'
   * const service = new AgentService({ agents: [{ id: 'reporter', model: scripted(['All is well.']) }] })
   * await service.schedules.put({ id: 'daily', cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin', agent: 'reporter', prompt: 'Report.' })
   * ```
   */
  put(schedule: Schedule): Promise<ScheduleInfo> {
    return this.#keeper.put(schedule, this.#identity)
  }

  /** The schedules that the identity may know of, soonest first: with the right to read journals all, otherwise its own. */
  list(): Promise<readonly ScheduleInfo[]> {
    return this.#keeper.list(this.#identity)
  }

  /** Ends a schedule. A run of it that is under way goes on; cancel it by its id. */
  remove(id: string): Promise<void> {
    return this.#keeper.remove(id, this.#identity)
  }

  /** Carries out what is due from now on, also schedules that other processes add to the store. `put` does so as well. */
  start(): Promise<void> {
    return this.#keeper.start()
  }
}
