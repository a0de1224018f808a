import { allLabels } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { Loop } from './loop.ts'
import type { PlanStep } from '../config/strategies.ts'

/** What the effect of another agent says where the model is shown handles: the parts of its input are other ones than those of the call. */
export function withheldBy({ handles }: Loop, { labels }: PlanStep): Pick<Effect, 'isWithheld' | 'labels'> {
  if (handles === undefined) return {}
  return labels === undefined ? { isWithheld: true } : { isWithheld: true, labels: allLabels(labels) }
}
