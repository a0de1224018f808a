import { MandateError, nearest } from '../../core/index.ts'
import type { ErrorCode } from '../../core/index.ts'
import type { ToolChoice } from '../../model/index.ts'
import { callableNames } from './callable.ts'
import type { Callable } from './callable.ts'

const WORDS: readonly string[] = ['auto', 'none', 'required']

/** Throws on an invalid tool choice: it must be a keyword or the name of a callable tool. */
export function checkToolChoice(
  choice: unknown,
  { tools, ...others }: Callable & { readonly tools: readonly { name: string }[] },
  code: ErrorCode = 'CONFIG_INVALID',
): void {
  if (choice === undefined || (typeof choice === 'string' && WORDS.includes(choice))) return
  const names = [...tools.map(({ name }) => name), ...callableNames(others)]
  if (typeof choice === 'string' && names.includes(choice)) return
  const meant = typeof choice === 'string' ? nearest(choice, [...WORDS, ...names]) : undefined
  const hint = meant === undefined ? `Give one of: ${[...WORDS, ...names].join(', ')}.` : `Did you mean "${meant}"?`
  throw new MandateError(code, `\`toolChoice\` is ${JSON.stringify(choice)}, which is no tool of this agent. ${hint}`)
}

/** The tool choice of a turn: a call is required only in the first one, otherwise the model could never answer. */
export function choiceOfTurn(choice: string | undefined, turn: number): ToolChoice | undefined {
  if (choice === undefined || choice === 'auto' || choice === 'none') return choice
  if (turn > 1) return 'auto'
  return choice === 'required' ? choice : { tool: choice }
}
