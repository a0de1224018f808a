import { MandateError, nearest } from '../../core/index.ts'
import type { ErrorCode } from '../../core/index.ts'
import type { ToolChoice } from '../../model/index.ts'
import { SPAWN_TOOL } from '../loop/spawn.ts'
import type { AgentSpec } from './config-types.ts'

const WORDS: readonly string[] = ['auto', 'none', 'required']

/** Refuses a choice of tools that an agent cannot make: it is a word, or the name of something that it can call. */
export function checkToolChoice(
  choice: unknown,
  {
    tools,
    agents,
    agentTypes,
  }: Pick<AgentSpec, 'agents' | 'agentTypes'> & { readonly tools: readonly { name: string }[] },
  code: ErrorCode = 'CONFIG_INVALID',
): void {
  if (choice === undefined || (typeof choice === 'string' && WORDS.includes(choice))) return
  const names = [...tools.map(({ name }) => name), ...agents, ...(agentTypes.length === 0 ? [] : [SPAWN_TOOL])]
  if (typeof choice === 'string' && names.includes(choice)) return
  const meant = typeof choice === 'string' ? nearest(choice, [...WORDS, ...names]) : undefined
  const hint = meant === undefined ? `Give one of: ${[...WORDS, ...names].join(', ')}.` : `Did you mean "${meant}"?`
  throw new MandateError(code, `\`toolChoice\` is ${JSON.stringify(choice)}, which is no tool of this agent. ${hint}`)
}

/** What the model of a turn is told: a call is demanded once, or the model could never answer. */
export function choiceOfTurn(choice: string | undefined, turn: number): ToolChoice | undefined {
  if (choice === undefined || choice === 'auto' || choice === 'none') return choice
  if (turn > 1) return 'auto'
  return choice === 'required' ? choice : { tool: choice }
}
