import type { Blueprint } from '../blueprint.ts'
import type { Report } from '../report.ts'
import { checkChannels } from './channels.ts'
import { checkExpressions } from './expressions.ts'
import { checkFlow } from './flow.ts'
import { viewOf } from './graph-view.ts'
import { checkKinds } from './kinds.ts'
import { checkNames } from './names.ts'
import { checkRoutes } from './routes.ts'
import { checkSettings } from './settings.ts'
import { checkTargets } from './targets.ts'

/** Checks a blueprint of valid shape, from any source. Findings refer to the blueprint; a report with a source text translates them to positions there. */
export function checkBlueprint(blueprint: Blueprint, report: Report): void {
  const view = viewOf(blueprint, report)
  checkNames(view)
  checkTargets(view)
  checkKinds(view)
  checkRoutes(view)
  checkExpressions(view)
  checkSettings(view)
  checkChannels(view)
  // Invalid routes would make everything behind them look unreachable.
  if (report.errors === 0) checkFlow(view)
}
