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

/**
 * Reports everything that is wrong with a blueprint of the right shape, wherever it comes from. Findings point into the
 * blueprint; a report that knows the text turns them into places there.
 */
export function checkBlueprint(blueprint: Blueprint, report: Report): void {
  const view = viewOf(blueprint, report)
  checkNames(view)
  checkTargets(view)
  checkKinds(view)
  checkRoutes(view)
  checkExpressions(view)
  checkSettings(view)
  checkChannels(view)
  // Ways that lead nowhere, or could not be read, would make everything behind them look unreachable.
  if (report.errors === 0) checkFlow(view)
}
