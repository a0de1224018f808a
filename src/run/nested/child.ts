import { allLabels } from '../../core/index.ts'
import type { BudgetLimits, Json, Label } from '../../core/index.ts'
import type { MindKind } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import { childId } from './child-id.ts'
import type { Parked, KernelCall, Performed, KernelPerformer } from '../performers/performer.ts'
import { spentBy } from '../lifecycle/open-starts.ts'
import { breakOff, isHereOnly } from '../lifecycle/suspend-run.ts'
import { isWanted, treeOf } from './run-tree.ts'

/** The request to run a child. */
export interface ChildRequest {
  readonly id: string
  readonly parent: ActiveRun
  readonly key: string
  /** When the call began, in the parent's time. */
  readonly at: number
  readonly kind: MindKind
  readonly name: string
  readonly input: Json
  readonly labels: readonly Label[]
  readonly allot?: BudgetLimits | undefined
  readonly signal: AbortSignal
}

/**
 * Performs child runs of one kind. A child has its own journal and draws on its parent's budget, unless it has an allotment. It is repeatable,
 * because performing it again only resumes it; when it suspends, its parent's effect is parked.
 */
export function childPerformer(kind: MindKind): KernelPerformer {
  return {
    kind,
    isRun: true,
    facts: (effect, run) => ({
      known: run.host.registry.mind(kind, effect.name, run.start.sessionId) !== undefined,
      alternatives: run.host.registry.mindNames(kind),
      worst: effect.allot === undefined ? {} : run.budget.allotment(effect.allot).spend,
    }),
    repeatable: () => true,
    timeoutMs: () => undefined,
    perform: performChild,
  }
}

async function performChild(call: KernelCall): Promise<Performed | Parked> {
  const { run, key, effect } = call
  const id = childId(run.id, key)
  const request = {
    id,
    parent: run,
    key,
    at: run.fold.lastAt,
    kind: effect.kind as MindKind,
    name: effect.name,
    input: call.input,
    labels: allLabels(effect.labels),
    allot: allotmentOf(call),
    signal: call.signal,
  }
  let outcome: RunOutcome
  const unlisten = listenTo(call, id)
  try {
    outcome = await run.host.runChild(request)
  } catch (error) {
    return stopParent(run, key, error)
  } finally {
    unlisten?.()
  }
  if (outcome.state === 'suspended')
    return outcome.reason === 'disk' ? suspendForStore(call, id, outcome) : parkWith(run, id, outcome)
  const spent = await spentBy(run.host.journal, run.id, key)
  const meta = { child: id, state: outcome.state }
  // A child that ended in an earlier process has not counted its spend in this one.
  const counted = run.children.has(id)
  const { labels } = outcome
  if (outcome.state === 'completed') return { value: outcome.output, labels, spent, meta, counted }
  const code = outcome.state === 'cancelled' ? 'CANCELLED' : outcome.error.code
  const message = outcome.state === 'cancelled' ? outcome.reason : outcome.error.message
  return {
    value: null,
    failure: { code, message, info: { child: id, output: outcome.output } },
    labels,
    spent,
    meta,
    counted,
  }
}

/** Subscribes to the text of a child only if the text of its parent has a listener: a run with a listener streams, which is slower. */
function listenTo({ run, effect: { onEvent } }: KernelCall, id: string): (() => void) | undefined {
  return onEvent === undefined || !run.wants('text-delta') ? undefined : run.host.events.onRun(id, onEvent)
}

/** The child's budget: what was reserved for it. Time and depth are not reserved, only limited. */
function allotmentOf({ run, key, effect }: KernelCall): BudgetLimits | undefined {
  if (effect.allot === undefined) return undefined
  const { timeMs, depth } = run.budget.allotment(effect.allot).limits
  return {
    ...run.fold.effects.get(key)?.start?.data.reserved,
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(depth === undefined ? {} : { depth }),
  }
}

async function parkWith(run: ActiveRun, id: string, outcome: RunOutcome & { state: 'suspended' }): Promise<Parked> {
  const { journal, clock } = run.host
  const tree = [...(await treeOf(journal, id, outcome.pending))]
  return {
    parked: outcome.reason,
    pending: outcome.pending.map((item) => ({ ...item, run: item.run ?? id })),
    wakeAt: outcome.wakeAt,
    wake(again) {
      const look = (): void =>
        void isWanted(journal, tree).then(
          (is) => (is ? again() : undefined),
          () => {},
        )
      const stops = tree.map((each) => journal.watch(each, (change) => (change.kind === 'signal' ? look() : undefined)))
      // A signal may have arrived between the child's last read of its inbox and this subscription.
      look()
      const stopTimer = outcome.wakeAt === undefined ? undefined : clock.timer(outcome.wakeAt - clock.now(), again)
      return () => {
        for (const stop of stops) stop()
        stopTimer?.()
      }
    },
  }
}

/** The child's journal cannot be written. An immediate retry would not help, so the whole tree suspends until it is resumed. */
function suspendForStore({ run, key }: KernelCall, id: string, outcome: RunOutcome & { state: 'suspended' }): Parked {
  run.diskError ??= outcome.error
  run.interrupted = true
  return { parked: 'disk', pending: [{ key, reason: 'disk', run: id }], wake: () => () => {} }
}

/**
 * The child cannot be driven here: another owner holds its lease, its mind has changed or is not registered, or its journal is damaged. That is not
 * an outcome of the child, so none is recorded; other effects in flight may finish, then the parent's segment ends with this error, and both can be
 * resumed.
 */
function stopParent(run: ActiveRun, key: string, error: unknown): Parked {
  run.broken ??= error
  run.interrupted = true
  // A cancelled run does not wait: it stays cancelled, and a process that has the child ends both.
  if (run.signal.aborted && isHereOnly(error)) breakOff(run, error)
  return { parked: 'interrupt', pending: [{ key, reason: 'interrupt' }], wake: () => () => {} }
}
