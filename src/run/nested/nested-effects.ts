import { MandateError, canonical, frozenCopy } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { hashEffectText } from '../../gate/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { EffectRecord } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { EMBED_KEY, WRITE_KEY } from './nested-keys.ts'
import { carryOut } from '../effect/perform.ts'
import type { KernelCall, KernelPerformer } from '../performers/performer.ts'
import { Slots } from '../effect/slots.ts'
import { performerFor } from '../kernel/performer-table.ts'

/** Performs an effect of the kernel itself, through the gate and into the journal like any other. */
export async function performAside(run: ActiveRun, key: string, effect: Effect): Promise<void> {
  const text = canonical(effect.input)
  const asked = hashEffectText(effect.kind, effect.name, text)
  const performer = performerFor(run.host.registry, effect.kind)
  run.asked.add(key)
  const request = { run, key, effect, asked, inputText: text, performer, slots: run.slots, isAside: true }
  await carryOut(request, run.fold.effects.get(key))
  // The caller must not continue.
  if (run.ended) await new Promise(() => {})
}

/** A call holds its own slot already: if its writes waited for another one, calls could deadlock. */
const UNBOUNDED = new Slots(Number.POSITIVE_INFINITY)

/**
 * Performs a write or an embedding that a tool makes during its call: an effect below the key of the call, decided, recorded and counted like any
 * other. `claimed` has the keys that this attempt has used: an identical write of an earlier attempt, or an earlier process, is not repeated.
 */
export async function performWithin(
  call: KernelCall,
  given: Effect,
  performer: KernelPerformer,
  claimed: Set<string>,
): Promise<Outcome<Json>> {
  const { run, signal } = call
  if (signal.aborted || run.ended || run.isReplay) throw callOver()
  if (run.order === undefined) return writeBelow(call, given, performer, claimed)
  await run.order.turn(call.key)
  try {
    if (signal.aborted || run.ended) throw callOver()
    return await writeBelow(call, given, performer, claimed)
  } finally {
    run.order.wait(call.key)
  }
}

async function writeBelow(
  call: KernelCall,
  given: Effect,
  performer: KernelPerformer,
  claimed: Set<string>,
): Promise<Outcome<Json>> {
  const { run, signal } = call
  const inputText = canonical(given.input)
  const asked = hashEffectText(given.kind, given.name, inputText)
  const { key, record } = place(call, { asked, name: given.kind === 'embed' ? EMBED_KEY : WRITE_KEY }, claimed)
  if (record?.end !== undefined) return record.end.data.outcome
  const effect = Object.freeze({ ...given, input: frozenCopy(given.input) })
  const release = (): void => run.parked.get(key)?.release('cancelled')
  run.asked.add(key)
  run.writes ??= new Map()
  run.writes.set(call.key, [...(run.writes.get(call.key) ?? []), key])
  run.active += 1
  signal.addEventListener('abort', release)
  try {
    await carryOut({ run, key, effect, asked, inputText, performer, slots: UNBOUNDED, isWithin: true }, record)
  } finally {
    signal.removeEventListener('abort', release)
    run.active -= 1
    run.checkQuiet()
  }
  const ended = run.fold.effects.get(key)?.end
  if (ended === undefined) throw callOver()
  return ended.data.outcome
}

/** The key and record of the same write, if there is one, or the next free key. */
function place(
  { run, key }: KernelCall,
  { asked, name }: { readonly asked: string; readonly name: string },
  claimed: Set<string>,
): { readonly key: string; readonly record: EffectRecord | undefined } {
  for (let number = 1; ; number++) {
    const candidate = `${key}/${name}${number === 1 ? '' : `#${number}`}`
    const record = run.fold.effects.get(candidate)
    if (claimed.has(candidate) || (record !== undefined && !isSame(run, record, asked))) continue
    claimed.add(candidate)
    return { key: candidate, record }
  }
}

/** Whether a record answers this request. A failed write may be retried; one in progress belongs to an abandoned attempt. */
function isSame(run: ActiveRun, { key, start, end, approvals }: EffectRecord, asked: string): boolean {
  const before = end?.data.asked ?? start?.data.asked ?? start?.data.hash ?? approvals[0]?.data.asked
  if (before !== asked) return false
  if (end === undefined) return !run.asked.has(key)
  return end.data.outcome.status !== 'failed' && end.data.outcome.status !== 'cancelled'
}

/** The refusal of what a tool does after its call has ended, when nothing would record it. */
export function callOver(): MandateError {
  return new MandateError('CANCELLED', 'The call of this tool is over: what it still wants to write is not written.')
}
