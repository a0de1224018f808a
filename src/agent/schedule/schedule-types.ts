import { MandateError, budgetLimits, checkFields, checkId, cron } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, Json } from '../../core/index.ts'

/** A recurring task. */
export interface Schedule {
  readonly id: string
  /** The times: five fields as in crontab, or `@daily` and so on. */
  readonly cron?: string | undefined
  /** Or the interval in milliseconds: at least a second. */
  readonly everyMs?: number | undefined
  /** The time zone of `cron`: `UTC` by default. */
  readonly timeZone?: string | undefined
  /** The agent to run each time, and its prompt. */
  readonly agent?: string | undefined
  readonly prompt?: string | undefined
  /** Or the run to wake each time, with a message for its agent. */
  readonly wake?: string | undefined
  readonly message?: string | undefined
  /** Limits of each run. */
  readonly budget?: BudgetLimits | undefined
  /** What to do while an earlier run is not over: start another (`allow`, the default), or leave this one out (`skip`). */
  readonly overlap?: 'allow' | 'skip' | undefined
  /** What to do about times that were missed because nothing ran: one run for all of them (`once`, the default), or none (`skip`). */
  readonly missed?: 'once' | 'skip' | undefined
}

/** A schedule with its next time. */
export interface ScheduleInfo extends Schedule {
  readonly nextAt: number
  /** The run that waits for that time. */
  readonly runId: string
}

const SCHEDULE: FieldNames<Schedule> = {
  id: true,
  cron: true,
  everyMs: true,
  timeZone: true,
  agent: 'text',
  prompt: 'text',
  wake: true,
  message: true,
  budget: 'object',
  overlap: true,
  missed: true,
}

const EVERY_MIN_MS = 1_000
const ID_MAX = 64

/** Validates a schedule, and throws if it could never be executed. */
export function readSchedule(given: Schedule): Schedule {
  checkFields(given, 'a field of a schedule', SCHEDULE)
  const { id, everyMs, agent, wake, message, prompt, overlap, missed, budget } = given
  if (checkId(id, 'The id of a schedule').length > ID_MAX || id.includes('.'))
    throw invalid(id, `has an id that is not usable. Use at most ${ID_MAX} characters, and no dot`)
  if ((given.cron === undefined) === (everyMs === undefined)) throw invalid(id, 'needs either `cron` or `everyMs`')
  if (everyMs !== undefined && !(Number.isSafeInteger(everyMs) && everyMs >= EVERY_MIN_MS))
    throw invalid(id, `has \`everyMs\`: ${String(everyMs)}. Give whole milliseconds, ${EVERY_MIN_MS} at least`)
  if (everyMs !== undefined && given.timeZone !== undefined)
    throw invalid(id, 'has a `timeZone`, which goes with `cron`')
  if ((agent === undefined) === (wake === undefined))
    throw invalid(id, 'needs either `agent`, which is run each time, or `wake`, the run that is woken each time')
  if (wake !== undefined && (message === undefined || message === ''))
    throw invalid(id, 'needs a `message`: what the run is told when it is woken')
  if (agent !== undefined && (prompt === undefined || prompt === '')) throw invalid(id, 'needs a `prompt`')
  if (overlap !== undefined && overlap !== 'allow' && overlap !== 'skip')
    throw invalid(id, `has \`overlap\`: ${JSON.stringify(overlap)}. Use "allow" or "skip"`)
  if (missed !== undefined && missed !== 'once' && missed !== 'skip')
    throw invalid(id, `has \`missed\`: ${JSON.stringify(missed)}. Use "once" or "skip"`)
  const read = { ...given, ...(budget === undefined ? {} : { budget: budgetLimits(budget) }) }
  nextTime(read, 0)
  return JSON.parse(JSON.stringify(read)) as Schedule
}

/** The first time of a schedule after a given one. Intervals are counted from 1970, so that every process computes the same times. */
export function nextTime({ cron: text, everyMs, timeZone }: Schedule, after: number): number {
  if (everyMs !== undefined) return (Math.floor(after / everyMs) + 1) * everyMs
  return cron(text!, timeZone).next(after)
}

/** The id of the run for one occurrence of a schedule: the same in every process, so that it exists once. */
export function occurrenceId(id: string, at: number): string {
  return `schedule-${id}-${at.toString(36)}`
}

/** The session shared by all occurrences of a schedule. */
export function sessionOf(id: string): string {
  return `schedule-${id}`
}

/** The input of a run of the schedule's mind. */
export interface Occurrence {
  readonly schedule: Schedule
  readonly at: number
}

export function occurrenceInput(schedule: Schedule, at: number): Json {
  return { schedule, at } as unknown as Json
}

function invalid(id: string, what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `The schedule "${id}" ${what}.`)
}
