import { describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Done } from '../loop/act.ts'
import type { Loop } from '../loop/loop.ts'
import { appendResults } from './message-log.ts'
import type { LoggedResult } from './message-log.ts'

/** Journals results that cannot be derived from the effects. */
export function logResults(loop: Loop, context: RunContext, done: readonly Done[], notes: readonly string[]): void {
  if (loop.handles !== undefined) {
    loop.transcript.push(appendResults(context, loop.handles.results(done, notes)))
    return
  }
  const outcomes = new Map(done.map(({ ref, outcome }) => [ref ?? '', outcome]))
  const results = done.map(({ step, ref, outcome }, index): LoggedResult => {
    const note = notes[index]!
    const call = { toolCallId: step.toolCallId!, name: step.toolId! }
    if (ref !== undefined) return note === '' ? { ...call, ref } : { ...call, ref, note }
    const value: Json = outcome.status === 'ok' ? (outcome.shown ?? outcome.value) : describeOutcome(outcome) + note
    return { type: 'tool-result', ...call, status: outcome.status === 'ok' ? 'ok' : 'error', value }
  })
  loop.transcript.push(appendResults(context, results, outcomes))
}
