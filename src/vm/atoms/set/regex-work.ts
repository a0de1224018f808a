import { testPattern } from '../../builtins/text/regexp-engine.ts'
import type { InlineWork } from './inline-atom.ts'

/** Whether a pattern is found in a text. */
export const regexMatch: InlineWork = (input) =>
  testPattern(input.get('pattern') as string, '', input.get('value') as string)
