import { MandateError, canonical, freezeDeep, frozenCopy, nextTurn } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { hashEffectText } from '../../gate/index.ts'
import type { Effect, LimitHit } from '../../gate/index.ts'
import type { Decision, EffectDecideData, EffectEndData, EffectRecord, Spend } from '../../journal/index.ts'
import { cancelledOutcome } from '../lifecycle/run-outcome.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { isAsideKey } from '../nested/nested-keys.ts'
import { attempt } from './attempt.ts'
import { authorize } from './authorize.ts'
import { untilReleased } from './bounded-wait.ts'
import { labelsOf } from './effect-labels.ts'
import { kill } from '../lifecycle/end-run.ts'
import { plainError } from '../lifecycle/failure.ts'
import { refuseOversized } from './refusals.ts'
import { keepResultFiles } from '../files/large-files.ts'
import { prepareLarge } from '../files/large-outcome.ts'
import type { KernelPerformer } from '../performers/performer.ts'
import type { Slots } from './slots.ts'
import type { Task } from '../mind/task.ts'
import { transform } from './transform-result.ts'
import { divergeAt } from '../mind/divergence.ts'
import { filterOutput } from './output-content.ts'
import { recover } from './recover-effect.ts'
import { performerFor } from '../kernel/performer-table.ts'

/** One effect while the kernel processes it. */
export interface Request {
  readonly run: ActiveRun
  readonly key: string
  readonly effect: Effect
  /** The hash of the effect as the mind requested it. */
  readonly asked: string
  /** The canonical text of the requested input. */
  readonly inputText: string
  readonly performer: KernelPerformer
  /** Bounds how many effects run at once. */
  readonly slots: Slots
  /** The effect is inside a call that is under way: it takes no slot, and is not held back when the run is interrupted. */
  readonly isWithin?: boolean | undefined
  /** An effect of the kernel itself: the mind neither requested it nor gets its outcome. */
  readonly isAside?: boolean | undefined
  /** The task that requested it: if the task is closed, the effect is aborted. */
  readonly task?: Task | undefined
  /** Delivers the outcome to the mind, in journal order. */
  readonly give?: ((outcome: Outcome<Json>) => void) | undefined
}

/** The end of an effect: its outcome, and what the journal records beside it. */
export interface Ending {
  readonly outcome: Outcome<Json>
  readonly spent?: Spend | undefined
  /** The spend is already counted in the budget tree. */
  readonly counted?: boolean | undefined
  readonly durationMs?: number | undefined
  readonly meta?: Json | undefined
  /** Hashes of the large content in the outcome. */
  readonly blobs?: readonly string[] | undefined
  /** The gate's denial. Written in one append with the end: a denial without an end would be decided again after a crash, perhaps differently. */
  readonly refused?: Decision | undefined
}

/** The permission to perform an effect. It has passed the gate and holds a slot. */
export interface Permit {
  readonly input: Json
  readonly attempts: number
  /** The start or retry was stored under the lease after the last wait, or there was no wait. */
  readonly isProven: boolean
  /** Data for the performer beside the input, set by a guard. */
  readonly carry?: unknown
  /** Replaces the reservation with the real cost, and returns what was counted. */
  settle(spent: Spend): Spend
  /** Counts a failed attempt and reserves the same again for another one; returns the limit if that does not fit. */
  renew(spent: Spend): { readonly counted: Spend; readonly hit?: LimitHit | undefined }
}

/**
 * Performs an effect for a mind: the only way from a mind to the world. Recorded effects are answered from the journal; new ones are decided,
 * reserved, started, performed, transformed and ended, in that order. The key is assigned synchronously, because replay depends on the order of
 * requests.
 */
export function perform(run: ActiveRun, task: Task, given: Effect): Promise<Outcome<Json>> {
  // The mind was dropped: its promises never settle, so nothing is performed.
  if (run.ended || task.isClosed) return new Promise(() => {})
  const text = canonical(given.input)
  // A defensive copy: the caller may mutate the input while the gate is awaited.
  const input = frozenCopy(given.input)
  // Labels are not part of keys or hashes: runs of older builds without labels still match.
  const labels = given.labels ?? (run.shown.all.length === 0 ? undefined : run.shown.all)
  const effect: Effect = Object.freeze({ ...given, labels, input })
  const key = takeKey(run, task, effect)
  const asked = hashEffectText(effect.kind, effect.name, text)
  const record = run.fold.effects.get(key)
  if (record !== undefined && hasChanged(record, asked)) {
    divergeAt(run, key, record, effect)
    return new Promise(() => {})
  }
  task.addWaits(1)
  if (record?.end !== undefined) return recorded(run, task, key, { outcome: record.end.data.outcome, effect })
  const performer = performerFor(run.host.registry, effect.kind)
  run.active += 1
  if (run.isReplay) {
    // A replay performs nothing: the effect stays unanswered and counts as active.
    run.onExtra(key, effect)
    return new Promise(() => {})
  }
  return new Promise((resolve) => {
    const give = (outcome: Outcome<Json>): void => {
      task.addWaits(-1)
      forgetCall(run, key)
      run.shown.tell(outcome, effect.isWithheld)
      resolve(outcome)
    }
    void carryOut({ run, key, effect, asked, inputText: text, performer, slots: run.slots, task, give }, record)
  })
}

function takeKey(run: ActiveRun, task: Task, effect: Effect): string {
  const key = task.key(effect.key ?? effect.kind)
  if (isAsideKey(key))
    throw new MandateError(
      'INPUT_INVALID',
      `The name "${key.slice(key.lastIndexOf('/') + 1)}" is the kernel's own. Give the effect another \`key\`.`,
    )
  if (run.asked.has(key)) {
    throw new MandateError(
      'INPUT_INVALID',
      `Two effects of run "${run.id}" have the key "${key}". Keep "/" and "#" out of the names of effects and tasks.`,
    )
  }
  run.asked.add(key)
  return key
}

/** Frees what the fold holds for a finished call and its own writes. */
function forgetCall({ fold, writes }: ActiveRun, key: string): void {
  fold.forget(key)
  for (const below of writes?.get(key) ?? []) fold.forget(below)
  writes?.delete(key)
}

/** Another input under the same key means that the mind has changed, however far the effect got. */
function hasChanged({ start, end: ended, approvals }: EffectRecord, asked: string): boolean {
  const before = ended?.data.asked ?? start?.data.asked ?? start?.data.hash ?? approvals[0]?.data.asked
  return before !== undefined && before !== asked
}

interface Recorded {
  readonly outcome: Outcome<Json>
  readonly effect: Effect
}

/** Step 1: answers from the journal. */
function recorded(run: ActiveRun, task: Task, key: string, { outcome, effect }: Recorded): Promise<Outcome<Json>> {
  return new Promise((resolve) =>
    run.delivery.claim(key, () => {
      task.addWaits(-1)
      run.fold.forget(key)
      run.shown.tell(outcome, effect.isWithheld)
      resolve(freezeDeep(outcome))
    }),
  )
}

/** Steps 2 to 8. It never rejects: an unexpected error ends the run. */
export async function carryOut(request: Request, record: EffectRecord | undefined): Promise<void> {
  const { run } = request
  try {
    await run.delivery.caughtUp()
    if (run.ended) return
    if (record !== undefined && !run.signal.aborted && isGone(request, record)) await standDown(request)
    // Entries that were queued before this request are written first.
    run.pendingEntries.writeHeld()
    const ending = await performed(request, record)
    if (ending === undefined || run.ended) return
    await end(request, ending)
  } catch (error) {
    run.failUnlessLost(error)
  }
}

/**
 * Whether this process does not have what a recorded request is about, a tool for example. It was there when it was requested: another process can carry
 * out what a person has approved. A person answers a call in doubt here as well.
 */
function isGone({ run, effect, performer }: Request, { start, approvals }: EffectRecord): boolean {
  const isInDoubt = start !== undefined && !start.data.repeatable
  return !isInDoubt && (start !== undefined || approvals.length > 0) && !performer.facts(effect, run).known
}

/** Suspends the run with this effect undecided, and ends the segment with an error. Resolves only if the run is aborted before. */
async function standDown({ run, key, effect: { kind, name } }: Request): Promise<void> {
  run.broken ??= new MandateError(
    'NOT_FOUND',
    `Run "${run.id}" cannot go on here: the ${kind} "${name}", which it has requested, is not registered in this process. The run stays suspended, with its answers. Resume it in a process that has the ${kind}, or register it again.`,
    { info: { run: run.id, missing: { kind, name } } },
  )
  run.interrupted = true
  await untilReleased(run, key)
}

/** Steps 2 to 7; `undefined` if this process no longer owns the run. */
async function performed(request: Request, record: EffectRecord | undefined): Promise<Ending | undefined> {
  const { run } = request
  let permit: Permit | undefined
  let ending: Ending
  let isLarge = false
  try {
    const way = await recoverOrAuthorize(request, record)
    if ('outcome' in way) ending = way
    else {
      permit = way
      const { attempted, blobs, isLarge: isSo } = await keepResultFiles(request, await attempt(request, permit))
      isLarge = isSo === true
      if (isLarge) await nextTurn()
      ending = transform(request, attempted)
      if (blobs.length > 0 && ending.outcome.status === 'ok') ending = { ...ending, blobs }
    }
  } catch (error) {
    if (run.writer.failure !== undefined || run.ended) return undefined
    permit = undefined
    ending = run.signal.aborted
      ? { outcome: cancelledOutcome(run) }
      : { outcome: { status: 'failed', error: plainError(error, 'INTERNAL') } }
  }
  if (run.gate.filtersOutput) ending = await filterOutput(request, ending)
  await run.vault?.keep(ending.outcome as unknown as Json, run)
  if (isLarge) ending = { ...ending, outcome: await prepareLarge(ending.outcome, run.redactor) }
  return permit === undefined ? ending : settled(permit, ending)
}

/** Settles the budget for an ending, unless its spend is already counted. */
function settled(permitted: Permit, ending: Ending): Ending {
  const spent = permitted.settle(ending.counted === true ? {} : (ending.spent ?? {}))
  return ending.counted === true || spent === ending.spent ? ending : { ...ending, spent }
}

/** Steps 2 to 6: recovery after a crash, or authorization. Returns a permit, or the ending of an effect that is not performed. */
async function recoverOrAuthorize(request: Request, record: EffectRecord | undefined): Promise<Permit | Ending> {
  const { run, inputText } = request
  if (run.signal.aborted && record?.start === undefined) return { outcome: cancelledOutcome(run) }
  if (record?.start !== undefined) return recover(request, record)
  return refuseOversized(request, inputText) ?? authorize(request)
}

/** Step 8: records the end and delivers to the mind what was recorded. Ends of non-repeatable effects are durable before the mind can act on them. */
async function end(request: Request, ending: Ending): Promise<void> {
  const { run, key, asked, effect, give } = request
  const started = run.fold.effects.get(key)?.start?.data
  const data: EffectEndData = {
    durationMs: ending.durationMs ?? 0,
    // Frozen because reports and the mind share the object.
    outcome: freezeDeep(ending.outcome),
    spent: ending.spent ?? {},
    ...run.stamp(),
    ...(started === undefined ? { asked } : {}),
    ...(ending.meta === undefined ? {} : { meta: ending.meta }),
    ...(ending.blobs === undefined ? {} : { blobs: ending.blobs }),
  }
  if (ending.refused !== undefined) {
    run.writer.add('effect-decide', key, {
      kind: effect.kind,
      name: effect.name,
      input: effect.input,
      hash: asked,
      ...labelsOf(effect),
      decision: ending.refused,
    } satisfies EffectDecideData)
  }
  const isAwaited = started?.repeatable !== true || effect.kind !== 'model'
  const entry = run.writer.addEffect('effect-end', key, data, isAwaited)
  // Reserved synchronously: outcomes are delivered to the mind in the order of their entries, regardless of the order of flushes.
  const place = give === undefined ? undefined : run.delivery.reserve(entry.at)
  if (ending.refused?.verdict === 'kill') kill(run, ending.refused)
  if (started?.repeatable === false) await run.writer.durable(entry.seq)
  // Read back from the entry, so that redaction also applies to the outcome delivered to the mind.
  if (place !== undefined) run.deliver(place, () => give!(freezeDeep(entry.data.outcome)))
}

/** Throws unless the value has the shape of an effect. */
export function checkEffect(effect: Effect): void {
  if (
    typeof effect !== 'object' ||
    effect === null ||
    typeof effect.kind !== 'string' ||
    typeof effect.name !== 'string'
  ) {
    throw new MandateError('INPUT_INVALID', 'An effect needs a `kind`, a `name` and an `input` of plain data.')
  }
}
