import type { Json } from '../../core/index.ts'
import { isPairAt } from '../context/page-index.ts'
import { errorMessage, thrownName } from './error-text.ts'
import type { ToldError } from './error-text.ts'

/** The fields of a cell result that are shown to a model. */
interface ObservedCell {
  readonly stdout: string
  readonly value?: Json | undefined
  /** Text form of the value, when JSON cannot represent it. */
  readonly shown?: string | undefined
  readonly variablesChanged: readonly string[]
  readonly warnings?: readonly string[] | undefined
  readonly error?: ToldError | undefined
}

/** Formats a cell result as a message to the model: output, value, error and changed variables. */
export function observation(
  { stdout, value, shown, variablesChanged, warnings = [], error }: ObservedCell,
  shownChars: number,
): string {
  const given = shown ?? (value === undefined || value === null ? undefined : textOf(value))
  const parts = [
    ...(stdout === '' ? [] : [`Printed:\n${cut(stdout.replace(/\n$/, ''), shownChars)}`]),
    ...(given === undefined ? [] : [`Value:\n${cut(given, shownChars)}`]),
    ...(error === undefined
      ? []
      : [`${thrownName(error) ?? `Error (${error.code})`}: ${cut(errorMessage(error), shownChars)}`]),
    ...warnings.map((warning) => `Warning: ${cut(warning, shownChars)}`),
    ...(variablesChanged.length === 0 ? [] : [`Variables set: ${variablesChanged.join(', ')}`]),
  ]
  const isSilent = stdout === '' && given === undefined && error === undefined
  if (isSilent) parts.unshift('The cell ran without output.')
  return `${parts.join('\n\n')}\n\n${error === undefined ? CONTINUE : MEND}`
}

const CONTINUE = 'Write the next cell, or call answer(text) when you know the answer.'
const MEND = 'What was set before the error is still there. Write a cell that mends it.'

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
}

/** Shortens a text in the middle, and states how much was left out. Never splits a surrogate pair. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head = whole(text, Math.ceil(most * 0.7), 0)
  const tail = text.slice(whole(text, text.length - Math.floor(most * 0.3), 1).length)
  return `${head}\n… ${text.length - head.length - tail.length} of ${text.length} characters left out. Print less, or a part of it. …\n${tail}`
}

/** Returns the text up to a position, moved by one unit backward or forward if it would split a surrogate pair. */
function whole(text: string, to: number, later: 0 | 1): string {
  return text.slice(0, isPairAt(text, to) ? to - 1 + 2 * later : to)
}
