import { refuseExtraArguments } from '../service/exact-arguments.ts'
import type { Identity } from '../../journal/index.ts'
import type { Schedule, ScheduleInfo } from './schedule-types.ts'

/** Operations on schedules, for a given identity. */
export interface ScheduleOperations {
  put(schedule: Schedule, by: Identity): Promise<ScheduleInfo>
  list(by: Identity): Promise<readonly ScheduleInfo[]>
  remove(id: string, by: Identity): Promise<void>
  start(): Promise<void>
}

/**
 * The schedules of a service, in the name of one identity. They are kept in its store: they survive restarts, and each occurrence is executed by one
 * process.
 */
export class Schedules {
  readonly #keeper: ScheduleOperations
  readonly #identity: Identity

  constructor(keeper: ScheduleOperations, identity: Identity) {
    this.#keeper = keeper
    this.#identity = identity
  }

  /**
   * Adds a schedule, or changes the one with this id. Idempotent, so every process may call it when it starts.
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

  /** The schedules that the identity may see, soonest first: all with the permission to read journals, otherwise its own. */
  list(): Promise<readonly ScheduleInfo[]> {
    return this.#keeper.list(this.#identity)
  }

  /** Removes a schedule. A run of it that is under way continues; cancel it by its id. */
  remove(id: string): Promise<void> {
    return this.#keeper.remove(id, this.#identity)
  }

  /** Executes schedules from now on, including those that other processes add to the store. `put` does so as well. */
  start(): Promise<void> {
    return this.#keeper.start()
  }
}

refuseExtraArguments(Schedules.prototype, { put: 1, list: 0, remove: 1, start: 0 }, [])
