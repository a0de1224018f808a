import type { RunContext } from '../run/index.ts'
import { agentLater } from './later.ts'
import type { PlanStep } from './strategies.ts'

/** Gives each call of a reply the intent that its text declares for it. Only the reply's own text counts: what tools have said declares nothing. */
export function withIntents(
  context: RunContext,
  text: string,
  steps: readonly PlanStep[],
): readonly PlanStep[] | Promise<readonly PlanStep[]> {
  // Also where nobody asks for intents: one that is declared can raise the risk of its call.
  return text.includes('<intent>') ? agentLater(({ readIntents }) => readIntents(context, text, steps)) : steps
}
