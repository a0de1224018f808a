import type { Json } from '../../core/index.ts'
import { isPairAt } from '../context/page-index.ts'
import { errorMessage, thrownName } from './error-text.ts'
import type { ToldError } from './error-text.ts'

/** What a model is told of a cell: the parts of a cell's result that concern it. */
interface ObservedCell {
  readonly stdout: string
  readonly value?: Json | undefined
  /** The value, where JSON does not tell what it is. */
  readonly shown?: string | undefined
  readonly variablesChanged: readonly string[]
  readonly warnings?: readonly string[] | undefined
  readonly error?: ToldError | undefined
}

/** A cell as a message to the model: what it printed, its value, its error, and which variables it left. */
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

/** Keeps the beginning and the end, and says what was left out. Characters are never split. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head = whole(text, Math.ceil(most * 0.7), 0)
  const tail = text.slice(whole(text, text.length - Math.floor(most * 0.3), 1).length)
  return `${head}\n… ${text.length - head.length - tail.length} of ${text.length} characters left out. Print less, or a part of it. …\n${tail}`
}

/** The text up to a place, or one unit earlier or later where that would split a pair. */
function whole(text: string, to: number, later: 0 | 1): string {
  return text.slice(0, isPairAt(text, to) ? to - 1 + 2 * later : to)
}
