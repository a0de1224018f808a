import { MandateError } from '../../core/index.ts'
import type { AnyAtom } from './atom.ts'
import { inlineAtom } from './inline-atom.ts'

type TestPattern = (pattern: string, flags: string, text: string) => boolean

let testPattern: TestPattern | undefined

/** Loads the engine for regular expressions. It is large, so a program that has none does without. */
export async function loadPatterns(): Promise<void> {
  testPattern ??= (await import('../builtins/regexp-engine.ts')).testPattern
}

export const REGEX_ATOM: AnyAtom = inlineAtom({
  op: 'regexMatch',
  docs: 'Whether a pattern is found in a text, in time that grows with the text and no faster.',
  input: { pattern: 'string', value: 'string' },
  output: 'boolean',
  cost: 2,
  run(input) {
    if (testPattern === undefined)
      throw new MandateError('INTERNAL', 'The engine for regular expressions was not loaded.')
    return testPattern(input.get('pattern') as string, '', input.get('value') as string)
  },
})
