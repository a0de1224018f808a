import { MandateError } from '../../core/index.ts'
import { frozenIdentity } from '../../journal/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelCall, KernelPerformer, PerformCall, Performer, PerformerRun } from '../performers/performer.ts'
import type { Registry } from './registry.ts'

/** The performers of each registry. Kept outside the registry, so that code that has the registry cannot call one past the gate. */
const tables = new WeakMap<Registry, Map<EffectKind, KernelPerformer>>()

/** Sets the performer of a kind of effect. */
export function setPerformer(registry: Registry, performer: KernelPerformer): void {
  const table = tables.get(registry) ?? new Map<EffectKind, KernelPerformer>()
  tables.set(registry, table)
  table.set(performer.kind, performer)
}

/** Gives a registry the performers of another. */
export function copyPerformers(from: Registry, to: Registry): void {
  tables.set(to, new Map(tables.get(from)))
}

/** The performer of a kind of effect. */
export function performerFor(registry: Registry, kind: EffectKind): KernelPerformer {
  const performer = tables.get(registry)?.get(kind)
  if (performer === undefined)
    throw new MandateError(
      'NOT_FOUND',
      `Nothing carries out effects of kind "${kind}" here. Register a performer for it.`,
    )
  return performer
}

const views = new WeakMap<ActiveRun, PerformerRun>()
const calls = new WeakMap<KernelCall, PerformCall>()

function viewOf(run: ActiveRun): PerformerRun {
  const known = views.get(run)
  if (known !== undefined) return known
  const { sessionId, identity, depth } = run.start
  const view = Object.freeze({
    id: run.id,
    rootId: run.rootId,
    sessionId,
    identity: frozenIdentity(identity),
    depth,
    limits: Object.freeze({ ...run.limits }),
  })
  views.set(run, view)
  return view
}

/** The call as a host's performer sees it. Cached, so that all functions of the performer get the same object for one attempt. */
function callFor(call: KernelCall): PerformCall {
  const known = calls.get(call)
  if (known !== undefined) return known
  const shown = Object.freeze({ ...call, run: viewOf(call.run) })
  calls.set(call, shown)
  return shown
}

/** Wraps a host's performer, which gets a frozen copy of `PerformerRun` instead of the run. */
export function hostPerformer(performer: Performer): KernelPerformer {
  return {
    kind: performer.kind,
    isRun: performer.isRun,
    facts: (effect, run) => performer.facts(effect, viewOf(run)),
    repeatable: (effect, run) => performer.repeatable(effect, viewOf(run)),
    timeoutMs: (effect, run) => performer.timeoutMs(effect, viewOf(run)),
    perform: (call) => performer.perform(callFor(call)),
    ...(performer.reconcile && { reconcile: (call) => performer.reconcile!(callFor(call)) }),
    ...(performer.retry && { retry: (error, attempt, call) => performer.retry!(error, attempt, callFor(call)) }),
    ...(performer.unfinished && {
      unfinished: (effect, run, cut) =>
        performer.unfinished!(effect, viewOf(run), cut && { call: callFor(cut.call), error: cut.error }),
    }),
    ...(performer.fatal && { fatal: (error, call) => performer.fatal!(error, callFor(call)) }),
    ...(performer.labels && { labels: (effect, run) => performer.labels!(effect, viewOf(run)) }),
    ...(performer.resultBytes && { resultBytes: (effect, run) => performer.resultBytes!(effect, viewOf(run)) }),
  }
}
