import { canonical, sha256 } from '../../core/index.ts'
import { mandateHash } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import type { RuleBinding } from '../../journal/index.ts'
import { definitionHash } from '../../tool/index.ts'
import type { Request } from '../effect/perform.ts'
import { findTool } from '../kernel/registry.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/**
 * What an approval of this call with the scope `rule` is bound to; `undefined` where there can be none: for anything but tools, where a question is
 * about this call or run alone, and in runs whose beginning was not made here for this run.
 */
export function bindingOf({ run, effect }: Request, { asking }: GateDecision): RuleBinding | undefined {
  if (effect.kind !== 'tool' || asking === undefined || isBorrowed(run)) return undefined
  const tool = findTool(run.resources, run.host.registry, effect.name)
  if (tool === undefined) return undefined
  return {
    rules: asking,
    mandates: sha256(canonical(run.mandates.map((mandate) => mandateHash(mandate)))),
    definition: definitionHash(tool),
    mind: `${run.start.mind}/${run.start.name}`,
  }
}

/** Whether a run, or one above it, is a fork or was imported. Such runs neither use nor give approvals that hold beyond a run. */
function isBorrowed(run: ActiveRun): boolean {
  if (run.start.forkOf !== undefined) return true
  if (run.recalled.isImported === true) return true
  return run.parent !== undefined && isBorrowed(run.parent)
}
