import type { AgentService } from '../../agent/index.ts'
import { baselineOf, evaluate } from '../../evals/index.ts'
import type { EvalSuite } from '../../evals/index.ts'

/** The questions for an adviser, and the checks of its answers. */
const SUITE: EvalSuite = {
  name: 'advice about tea pots',
  repeat: 2,
  threshold: 0.5,
  tasks: [
    { id: 'best-pot', input: 'Which tea pot is the best?', checks: ["text.includes('Brown Betty')", 'steps == 1'] },
    { id: 'as-a-table', input: 'Compare two tea pots in a table.', tags: ['format'], checks: ["text.includes('|')"] },
  ],
}

/** Evaluates the large model, then the small one with the first report as baseline: it is cheaper, and worse at one of the tasks. */
export async function demoEvals(service: AgentService): Promise<void> {
  const before = await evaluate({ ...SUITE, agent: 'adviser' }, { service })
  await evaluate({ ...SUITE, agent: 'adviser-small' }, { service, baseline: baselineOf(before) })
}
