import { describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, RunContext } from '../../run/index.ts'
import { answerOf } from '../output/agent-answer.ts'
import type { AgentOutput } from '../output/output-types.ts'
import { readInput } from '../session/run-options.ts'
import { nextTime } from './schedule-types.ts'
import type { Occurrence, Schedule } from './schedule-types.ts'

/** The name of the mind that executes schedules. */
export const SCHEDULE_MIND = 'mandate-schedule'

/** The note in which a run records that it has started, and that the next occurrence is stored. */
export const NEXT_NOTE = 'next'

/** The operations of the service that the mind uses. */
interface ScheduleHost {
  now(): number
  /** Stores the next occurrence, unless it is stored already; returns its time. */
  plan(schedule: Schedule, at: number): Promise<number>
  /** Whether an earlier occurrence of this schedule is still in progress. */
  isBusy(schedule: Schedule, at: number): Promise<boolean>
  /** Sends a message to a run, once for this occurrence, in the name of the schedule's identity. */
  wake(run: string, message: string, time: Pick<RunContext, 'identity' | 'runId'>): Promise<void>
}

/**
 * One occurrence of a schedule, as a run: it sleeps until its time, makes sure that the next occurrence is stored, and does the work as a child run.
 * What cannot be derived from the journal (the clock, other runs) is recorded, so that a resumed or replayed run makes the same decisions.
 */
export function scheduleMind(host: ScheduleHost): Mind {
  return {
    kind: 'program',
    name: SCHEDULE_MIND,
    async start(input, context) {
      const { schedule, at } = input as unknown as Occurrence
      const slept = await context.perform({ kind: 'sleep', name: 'schedule', input: { until: at } })
      if (slept.status !== 'ok') throw new MindStop('CANCELLED', describeOutcome(slept))
      const late = await context.record('late', () => nextTime(schedule, at) <= host.now())
      await context.record(NEXT_NOTE, () => host.plan(schedule, at))
      if (late && schedule.missed === 'skip') return { skipped: 'it was missed' }
      if (schedule.overlap === 'skip' && (await context.record('busy', () => host.isBusy(schedule, at))))
        return { skipped: 'an earlier run is not over' }
      return schedule.agent === undefined ? wake(host, schedule, context) : work(schedule, context)
    },
  }
}

async function work({ agent, prompt }: Schedule, context: RunContext): Promise<Json> {
  const input = readInput(prompt, undefined, {}) as unknown as Json
  const outcome = answerOf(
    await context.perform<AgentOutput>({ kind: 'agent', name: agent!, input, origin: 'schedule' }),
  )
  if (outcome.status === 'ok') return outcome.value
  throw new MindStop('TOOL_FAILED', `The agent "${agent}" did not finish: ${describeOutcome(outcome)}`)
}

async function wake(host: ScheduleHost, { wake: run, message }: Schedule, context: RunContext): Promise<Json> {
  await context.record('wake', () => host.wake(run!, message!, context))
  return { woken: run! }
}
