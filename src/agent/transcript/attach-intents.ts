import { matchIntents, parseIntents, readIntent } from '../../gate/index.ts'
import type { MatchedIntent, ParsedIntents } from '../../gate/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { PlanStep } from '../config/strategies.ts'

/** Adds to the steps the intents that a text declares for them. */
export function readIntents(context: RunContext, text: string, steps: readonly PlanStep[]): readonly PlanStep[] {
  const matched = matchIntents(
    parseDeclared(context, text),
    steps.map(({ toolId }) => toolId ?? ''),
  )
  return steps.map((step, index) => ({ ...step, ...matched[index] }))
}

/** The intents that a text declares. Blocks that cannot be parsed are reported as events. */
export function parseDeclared(context: RunContext, text: string): ParsedIntents {
  const parsed = parseIntents(text)
  for (const { toolName, problem } of parsed.problems)
    context.emit('intent-problem', { ...(toolName === undefined ? {} : { toolName }), problem })
  return parsed
}

/** The intent members of a step's effect. `name` is the target, if the model knows it under another name. */
export function intentOf({ toolId, intent, intentProblem }: PlanStep, name?: string): MatchedIntent {
  if (intent === undefined) return intentProblem === undefined ? {} : { intentProblem }
  const read = readIntent(intent)
  if ('problem' in read) return { intentProblem: read.problem }
  return { intent: name !== undefined && read.toolName === toolId ? { ...read, toolName: name } : read }
}
