import { MandateError, errorInfo } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import { hashEffect } from '../gate/index.ts'
import type { Effect } from '../gate/index.ts'
import type { EffectEndData, EffectRecord, Spend } from '../journal/index.ts'
import { cancelledOutcome } from './active-run.ts'
import type { ActiveRun } from './active-run.ts'
import { attempt } from './attempt.ts'
import { DivergedError, describeRequest } from './diverged.ts'
import { permit } from './permit.ts'
import type { Performer } from './performer.ts'
import { recover } from './recovery.ts'
import type { Task } from './task.ts'
import { transform } from './transform.ts'

/** An effect on its way through the kernel. */
export interface Request {
  readonly run: ActiveRun
  readonly key: string
  readonly effect: Effect
  /** Hash of what the mind asked for. */
  readonly asked: string
  readonly performer: Performer
}

/** What ends an effect: the outcome, and what the journal shall say beside it. */
export interface Ending {
  readonly outcome: Outcome<Json>
  readonly spent?: Spend | undefined
  /** The budget tree has counted the spend already. */
  readonly counted?: boolean | undefined
  readonly durationMs?: number | undefined
  readonly meta?: Json | undefined
}

/** What may be done, and what for: the way through the gate is over. */
export interface Permit {
  readonly input: Json
  readonly attempts: number
  /** Puts the real cost in the place of the reservation, and says what was counted. */
  settle(spent: Spend): Spend
}

/**
 * The one way out of a mind. Recorded effects are answered from the journal; new ones are decided, reserved, started, performed, transformed, ended: in that order.
 * The key is taken at once, before anything can be awaited, because the order of asking is part of the mind's meaning.
 */
export function perform(run: ActiveRun, task: Task, effect: Effect): Promise<Outcome<Json>> {
  const key = task.key(effect.key ?? effect.kind)
  run.asked.add(key)
  const asked = hashEffect(effect.kind, effect.name, effect.input)
  const record = run.fold.effects.get(key)
  if (record?.end !== undefined) return recorded(run, record, { key, asked, effect })
  if (run.isReplay) return unrecorded(run, key, effect)
  const request: Request = { run, key, effect, asked, performer: run.host.registry.performer(effect.kind) }
  run.active += 1
  return new Promise((resolve) => {
    carryOut(request, record).then(
      ({ outcome, at }) =>
        run.deliver(at, () => {
          run.fold.forget(key)
          resolve(outcome)
        }),
      (error: unknown) => run.fail(error),
    )
  })
}

/** Step 1: the journal knows how it ended. Another question under the same key means the mind has changed. */
function recorded(run: ActiveRun, record: EffectRecord, now: { key: string; asked: string; effect: Effect }): Promise<Outcome<Json>> {
  const { data } = record.end!
  const before = data.asked ?? record.start?.data.asked ?? record.start?.data.hash
  if (before !== undefined && before !== now.asked) {
    run.fail(new DivergedError(run.id, now.key, describeRequest(record.start?.data), describeRequest({ ...now.effect, hash: now.asked })))
    return new Promise(() => {})
  }
  return new Promise((resolve) =>
    run.delivery.claim(now.key, () => {
      run.fold.forget(now.key)
      resolve(data.outcome)
    }),
  )
}

function unrecorded(run: ActiveRun, key: string, effect: Effect): Promise<never> {
  run.onStall(key)
  if (run.fold.end !== undefined) {
    run.fail(new DivergedError(run.id, key, 'nothing: the recorded run did not ask for it', describeRequest({ ...effect, hash: '' })))
  }
  return new Promise(() => {})
}

async function carryOut(request: Request, record: EffectRecord | undefined): Promise<{ outcome: Outcome<Json>; at: number }> {
  const { run } = request
  let ending: Ending
  let permitted: Permit | undefined
  try {
    const way = await goAhead(request, record)
    permitted = 'outcome' in way ? undefined : way
    ending = 'outcome' in way ? way : transform(request, await attempt(request, way))
  } catch (error) {
    if (run.writer.failure !== undefined || run.ended) return new Promise(() => {})
    ending = { outcome: { status: 'failed', error: errorInfo(error) } }
  }
  if (run.ended) return new Promise(() => {})
  const counted = permitted?.settle(ending.counted === true ? {} : (ending.spent ?? {}))
  return end(request, ending.counted === true || counted === undefined ? ending : { ...ending, spent: counted })
}

/** Steps 2 to 6: past the crash, past the gate, with a reservation and a recorded start; or an outcome without having been performed. */
async function goAhead(request: Request, record: EffectRecord | undefined): Promise<Permit | Ending> {
  const { run } = request
  if (run.signal.aborted && record?.start === undefined) return { outcome: cancelledOutcome(run) }
  if (record?.start !== undefined) return recover(request, record)
  return permit(request, record)
}

/** Step 8: what is recorded is what the mind gets. Non-repeatable effects are on disk before the mind can act on them. */
async function end(request: Request, ending: Ending): Promise<{ outcome: Outcome<Json>; at: number }> {
  const { run, key, asked, effect, performer } = request
  const started = run.fold.effects.get(key)?.start !== undefined
  const data: EffectEndData = {
    outcome: ending.outcome,
    spent: ending.spent ?? {},
    durationMs: ending.durationMs ?? 0,
    ...(started ? {} : { asked }),
    ...(ending.meta === undefined ? {} : { meta: ending.meta }),
  }
  const entry = run.writer.add('effect-end', key, data)
  if (started && run.start.durability !== 'exit' && !performer.repeatable(effect, run)) await run.writer.durable(entry.seq)
  // Read back from the entry, so that redaction applies to what the mind sees as well.
  return { outcome: (entry.data as unknown as EffectEndData).outcome, at: entry.at }
}

/** Refuses an effect that is not even a well-formed question. */
export function checkEffect(effect: Effect): void {
  if (typeof effect !== 'object' || effect === null || typeof effect.kind !== 'string' || typeof effect.name !== 'string') {
    throw new MandateError('INPUT_INVALID', 'An effect needs a `kind`, a `name` and an `input` of plain data.')
  }
}
