import { expect, it } from 'vitest'
import { isUnfinished } from './unfinished.ts'

it.each(['function f() {', 'const a = [1,', '`abc', '1 +', 'f(', '/* x', 'if (a) {\n', 'x => {', '({'])(
  'is the beginning of a script: %s',
  (source) => expect(isUnfinished(source)).toBe(true),
)

it.each(['', '1', 'let x = ]', '}', "'abc", 'f()', 'eval("x")', 'if (a) {}'])(
  'is whole, or wrong whatever follows: %s',
  (source) => expect(isUnfinished(source)).toBe(false),
)
