import { sha256 } from '../core/index.ts'
import type { BudgetLimits, Json } from '../core/index.ts'
import type { MindKind } from '../journal/index.ts'
import { foldRun, readAll } from '../journal/index.ts'
import type { Journal, Spend } from '../journal/index.ts'
import type { ActiveRun, RunOutcome } from './active-run.ts'
import type { Parked, PerformCall, Performed, Performer } from './performer.ts'

/** A run inside a run. */
export interface ChildRequest {
  readonly id: string
  readonly parent: ActiveRun
  readonly key: string
  readonly kind: MindKind
  readonly name: string
  readonly input: Json
  readonly allot?: BudgetLimits | undefined
  readonly signal: AbortSignal
}

/** The same parent and key give the same child, so that a resumed parent finds the child it had. */
export function childId(parent: string, key: string): string {
  return `${parent}.${sha256(key).slice(0, 8)}`
}

/**
 * Carries out child runs of one kind. A child has its own journal and draws on its parent's budget, unless it gets an allotment.
 * It is repeatable, because performing it again only resumes it; when it suspends, its parent's effect is parked with it.
 */
export function childPerformer(kind: MindKind): Performer {
  return {
    kind,
    facts: (effect, run) => ({
      known: run.host.registry.mind(kind, effect.name) !== undefined,
      alternatives: run.host.registry.mindNames(kind),
      worst: effect.allot === undefined ? {} : run.budget.allotment(effect.allot).spend,
    }),
    repeatable: () => true,
    timeoutMs: () => undefined,
    perform: performChild,
  }
}

async function performChild(call: PerformCall): Promise<Performed | Parked> {
  const { run, key, effect } = call
  const id = childId(run.id, key)
  // What an earlier process knew the child had spent was held for it; from here on the child counts for itself.
  const held = run.reservations.get(key)
  if (held !== undefined && effect.allot === undefined) run.budget.settle(held, {})
  const outcome = await run.host.runChild({ id, parent: run, key, kind: effect.kind as MindKind, name: effect.name, input: call.input, allot: allotmentOf(call), signal: call.signal })
  if (outcome.state === 'suspended') return parkWith(run, id, outcome)
  const spent = await spentBy(run.host.journal, run.id, key)
  const meta = { child: id, state: outcome.state }
  if (outcome.state === 'completed') return { value: outcome.output, spent, meta, counted: effect.allot === undefined }
  const code = outcome.state === 'cancelled' ? 'CANCELLED' : outcome.error.code
  const message = outcome.state === 'cancelled' ? outcome.reason : outcome.error.message
  return { value: null, failure: { code, message, info: { child: id, output: outcome.output } }, spent, meta, counted: effect.allot === undefined }
}

/** What was reserved for the child is what it may spend; time and depth are not reserved, only limited. */
function allotmentOf({ run, key, effect }: PerformCall): BudgetLimits | undefined {
  if (effect.allot === undefined) return undefined
  const { timeMs, depth } = run.budget.allotment(effect.allot).limits
  return { ...run.fold.effects.get(key)?.start?.data.reserved, ...(timeMs === undefined ? {} : { timeMs }), ...(depth === undefined ? {} : { depth }) }
}

function parkWith(run: ActiveRun, id: string, outcome: RunOutcome & { state: 'suspended' }): Parked {
  const { journal, clock } = run.host
  return {
    parked: outcome.reason,
    pending: outcome.pending.map((item) => ({ ...item, run: item.run ?? id })),
    wakeAt: outcome.wakeAt,
    wake(again) {
      const stopWatch = journal.watch(id, (change) => (change.kind === 'signal' ? again() : undefined))
      const stopTimer = outcome.wakeAt === undefined ? undefined : clock.timer(outcome.wakeAt - clock.now(), again)
      return () => {
        stopWatch()
        stopTimer?.()
      }
    },
  }
}

/** What the child under a key has spent so far, by its own journal. */
export async function spentBy(journal: Journal, parent: string, key: string): Promise<Spend> {
  const fold = foldRun(await readAll(journal, childId(parent, key)))
  return fold.end?.spent ?? fold.spent
}
