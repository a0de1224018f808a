import { MandateError, budgetLimits, messageOf, nearest, parseJson, systemClock } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import { budgetFrom } from '../../agent/index.ts'
import type { Flags } from '../flags.ts'

/** A command; `run` returns the exit code. Its words and its help are in `../help/commands.ts`. */
export interface Command {
  run(flags: Flags, words: readonly string[]): Promise<number>
}

/** Returns a required argument, or throws a usage error. */
export function need(words: readonly string[], index: number, usage: string): string {
  const word = words[index]
  if (word !== undefined) return word
  // The usage lists several verbs and none was typed, so the missing argument has no name.
  const name = usage.includes(' | ') ? undefined : [...usage.matchAll(/(?<!--[a-z-]+ )<[^>]+>/gu)][index]?.[0]
  throw new MandateError('INPUT_INVALID', `${name ?? 'An argument'} is missing. Use: mandate ${usage}`)
}

/** Maximum number of verbs whose usage fits into one message. */
const VERBS_SHOWN = 4

/** Selects the action of a command with verbs by its first word, as in `graph check`. */
export function chooseAction<T>(
  actions: Readonly<Record<string, T>>,
  { command, usage }: { readonly command: string; readonly usage: string },
  words: readonly string[],
): T {
  const [word] = words
  const names = Object.keys(actions)
  const use =
    names.length > VERBS_SHOWN ? `Commands of mandate ${command}: ${names.join(', ')}` : `Use: mandate ${usage}`
  if (word === undefined) throw new MandateError('INPUT_INVALID', `An argument is missing. ${use}`)
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined
  if (action !== undefined) return action
  const near = nearest(word, names)
  const hint = near === undefined ? use : `Did you mean "${command} ${near}"?`
  throw new MandateError('INPUT_INVALID', `"${command} ${word}" is not a command. ${hint}`)
}

/** Checks that the value of an option is one of a few words. */
export function chooseWord<T extends string>(word: string, words: readonly T[], option: string): T {
  const found = words.find((one) => one === word)
  if (found !== undefined) return found
  const near = nearest(word, words)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  throw new MandateError(
    'INPUT_INVALID',
    `${option} is ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, not "${word}".${hint}`,
  )
}

/** Parses a typed JSON value; invalid JSON is a usage error. */
export function readJson(text: string, what: string): Json {
  try {
    return parseJson(text, what)
  } catch (cause) {
    // The shell removes one pair of quotes, so a JSON string loses its own.
    const hint = /^\s*[[{"]/u.test(text) ? '' : `. A text needs quotes of its own: '${JSON.stringify(text)}'`
    throw new MandateError('INPUT_INVALID', `${messageOf(cause)}${hint}`, { cause })
  }
}

/** Parses a typed number. */
export function readNumber(text: string, what: string): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value))
    throw new MandateError('INPUT_INVALID', `${what} must be a number, not "${text}".`)
  return value
}

/** Parses a typed count: a whole number above 0. */
export function readCount(text: string, what: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new MandateError('INPUT_INVALID', `${what} must be a whole number above 0, not "${text}".`)
}

/** Parses typed limits: `money=5,timeMs=60000`, or a JSON object. */
export function readBudget(text: string | undefined): BudgetLimits | undefined {
  if (text === undefined) return undefined
  if (text.trim().startsWith('{')) return budgetLimits(readJson(text, '--budget') as BudgetLimits)
  try {
    return budgetFrom(text, '--budget')
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', messageOf(cause), { cause })
  }
}

/** The units of typed times in milliseconds. */
export const TIME_UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a future time: a date, or a duration from now (`30m`, `12h`, `7d`). */
export function readMoment(text: string, what: string): number {
  return momentOf(text, what, 1)
}

/** Parses a past time: a date, or how long ago (`30m`, `12h`, `7d`). */
export function readPast(text: string, what: string): number {
  return momentOf(text, what, -1)
}

function momentOf(text: string, what: string, direction: 1 | -1): number {
  const [, amount, unit] = /^(\d+)([mhd])$/u.exec(text) ?? []
  const moment = unit === undefined ? dateOf(text) : systemClock.now() + direction * Number(amount) * TIME_UNITS[unit]!
  if (Number.isFinite(moment)) return moment
  throw new MandateError(
    'INPUT_INVALID',
    `${what} must be a date such as 2026-11-30 or 2026-11-30T09:00, or a time such as 30m, 12h or 7d, not "${text}".`,
  )
}

/**
 * Parses an ISO 8601 date. `Date.parse` alone accepts other text with surprising meanings: a bare 7 is a month. A date without a time is midnight in the local
 * time zone.
 */
function dateOf(text: string): number {
  if (!/^\d{4}-\d\d-\d\d(?:T|$)/u.test(text)) return Number.NaN
  return Date.parse(text.includes('T') ? text : `${text}T00:00`)
}
