import { MandateError } from '../../core/index.ts'
import type { Flags } from '../flags.ts'

/** One command: its words, one sentence, and what it does. It gives the exit code. */
export interface Command {
  readonly usage: string
  readonly about: string
  run(flags: Flags, words: readonly string[]): Promise<number>
}

/** The word a command cannot do without. */
export function need(words: readonly string[], index: number, usage: string): string {
  const word = words[index]
  if (word === undefined) throw new MandateError('INPUT_INVALID', `Something is missing: mandate ${usage}`)
  return word
}
