import { matchIntents, parseIntents, readIntent } from '../../gate/index.ts'
import type { MatchedIntent, ParsedIntents } from '../../gate/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { PlanStep } from '../config/strategies.ts'

/** The steps with what a text declares for them. */
export function readIntents(context: RunContext, text: string, steps: readonly PlanStep[]): readonly PlanStep[] {
  const matched = matchIntents(
    parseDeclared(context, text),
    steps.map(({ toolId }) => toolId ?? ''),
  )
  return steps.map((step, index) => ({ ...step, ...matched[index] }))
}

/** What a text declares. Blocks that cannot be read are told in events. */
export function parseDeclared(context: RunContext, text: string): ParsedIntents {
  const parsed = parseIntents(text)
  for (const { toolName, problem } of parsed.problems)
    context.emit('intent-problem', { ...(toolName === undefined ? {} : { toolName }), problem })
  return parsed
}

/** What an effect says of its step's intent. `name` is the target, where the model knows it under another one. */
export function intentOf({ toolId, intent, intentProblem }: PlanStep, name?: string): MatchedIntent {
  if (intent === undefined) return intentProblem === undefined ? {} : { intentProblem }
  const read = readIntent(intent)
  if ('problem' in read) return { intentProblem: read.problem }
  return { intent: name !== undefined && read.toolName === toolId ? { ...read, toolName: name } : read }
}
