import { canonical, sha256 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { mandateHash } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import type { RuleBinding, RunStartData } from '../../journal/index.ts'
import { definitionHash } from '../../tool/index.ts'
import type { Request } from '../effect/perform.ts'
import { findTool } from '../kernel/registry.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/**
 * What an approval of this call with the scope `rule` is bound to; `undefined` where that scope is not available: for effects other than tools, for
 * an `ask` about this call or run alone, and in forks and imported runs.
 */
export function bindingOf({ run, effect }: Request, { asking }: GateDecision): RuleBinding | undefined {
  if (effect.kind !== 'tool' || asking === undefined || isForkOrImport(run)) return undefined
  const tool = findTool(run.resources, run.host.registry, effect.name)
  if (tool === undefined) return undefined
  return {
    rules: asking,
    mandates: sha256(canonical(run.mandates.map((mandate) => mandateHash(mandate)))),
    definition: definitionHash(tool),
    mind: `${run.start.mind}/${run.start.name}`,
    ...codeOf(run.start),
  }
}

/** The hash that a mind pins of what it executes. A name alone would let other code under it use what was approved for this one. */
function codeOf({ pins }: RunStartData): Pick<RuleBinding, 'code'> {
  const { hash } = (pins as { readonly mind?: { readonly hash?: Json } | null } | null)?.mind ?? {}
  return typeof hash === 'string' ? { code: hash } : {}
}

/** Whether a run, or one above it, is a fork or was imported. Such runs neither use nor give approvals that reach beyond a run. */
export function isForkOrImport(run: ActiveRun): boolean {
  if (run.start.forkOf !== undefined) return true
  if (run.prior.isImported === true) return true
  return run.parent !== undefined && isForkOrImport(run.parent)
}
