import { MandateError, budgetLimits, messageOf, nearest, parseJson, systemClock } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import { budgetFrom } from '../../agent/index.ts'
import type { Flags } from '../flags.ts'

/** What a command does; it gives the exit code. Its words and its help are in `../help/commands.ts`. */
export interface Command {
  run(flags: Flags, words: readonly string[]): Promise<number>
}

/** The word a command cannot do without. */
export function need(words: readonly string[], index: number, usage: string): string {
  const word = words[index]
  if (word === undefined) throw new MandateError('INPUT_INVALID', `Something is missing: mandate ${usage}`)
  return word
}

/** What the first word of a command with several of them names: `graph check`. */
export function chooseAction<T>(
  actions: Readonly<Record<string, T>>,
  { command, usage }: { readonly command: string; readonly usage: string },
  words: readonly string[],
): T {
  const word = need(words, 0, usage)
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined
  if (action !== undefined) return action
  const near = nearest(word, Object.keys(actions))
  const hint = near === undefined ? `Use: mandate ${usage}` : `Did you mean "${command} ${near}"?`
  throw new MandateError('INPUT_INVALID', `"${command} ${word}" is not a command. ${hint}`)
}

/** A value that was typed as JSON; invalid JSON is a usage error. */
export function readJson(text: string, what: string): Json {
  try {
    return parseJson(text, what)
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', messageOf(cause), { cause })
  }
}

/** A number that was typed. */
export function readNumber(text: string, what: string): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value))
    throw new MandateError('INPUT_INVALID', `${what} is a number, and "${text}" is none.`)
  return value
}

/** Limits that were typed: `money=5,timeMs=60000`, or an object in JSON. */
export function readBudget(text: string | undefined): BudgetLimits | undefined {
  if (text === undefined) return undefined
  if (text.trim().startsWith('{')) return budgetLimits(readJson(text, '--budget') as BudgetLimits)
  try {
    return budgetFrom(text, '--budget')
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', messageOf(cause), { cause })
  }
}

/** What the units of typed times mean, in milliseconds. */
export const TIME_UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A moment to come that was typed: a date, or how long from now (`30m`, `12h`, `7d`). */
export function readMoment(text: string, what: string): number {
  return momentOf(text, what, 1)
}

/** A moment that is over: a date, or how long ago (`30m`, `12h`, `7d`). */
export function readPast(text: string, what: string): number {
  return momentOf(text, what, -1)
}

function momentOf(text: string, what: string, direction: 1 | -1): number {
  const [, amount, unit] = /^(\d+)([mhd])$/u.exec(text) ?? []
  const moment =
    unit === undefined ? Date.parse(text) : systemClock.now() + direction * Number(amount) * TIME_UNITS[unit]!
  if (Number.isFinite(moment)) return moment
  throw new MandateError('INPUT_INVALID', `${what} is a date or a time such as 30m, 12h or 7d, not "${text}".`)
}
