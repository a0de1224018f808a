import { describe, expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { type RefusedFeature, refusals } from './refusals.ts'
import type { ScriptProblem } from './problem.ts'
import { script } from './script.ts'

/** One source for each row of the table; the second line holds what is refused. */
const samples: Readonly<Record<RefusedFeature, string>> = {
  this: '1\n  this.x',
  super: '1\n  super.x',
  'new-target': '1\n  new.target',
  yield: '1\n  yield 1',
  eval: '1\n  eval("1")',
  import: '1\n  import fs from "fs"',
  export: '1\n  export default 1',
  with: '1\n  with (a) {}',
  arguments: 'function f() {\n  return arguments }',
  'delete-name': 'let x; delete\n  x',
  'delete-optional': 'const a = {}; delete\n  a?.b',
  bigint: '1 +\n  12n',
  private: 'class A { #x = 1; of(a) {\n  return a?.#x } }',
  'parameter-property': 'class A { constructor(\n  private x) {} }',
  'await-class': 'async () => {\n  class A extends (await b) {} }',
  decorator: '1;\n  @a b',
  debugger: '1\n  debugger',
  'await-sync': 'const f = () => {\n  await 1 }',
  'await-parameter': 'async (a =\n  await 1) => a',
  'await-chain': 'async () => {\n  a.b?.(await 1) }',
  'html-comment': '1;\n  <!-- x',
  octal: '1 +\n  017',
  'labelled-function': '1\n  a: function f() {}',
  enum: '1\n  enum Color { red }',
  namespace: '1\n  namespace A { }',
  using: '1\n  using x = f()',
  'proto-key': '({\n  __proto__: null })',
  prototype: '1;\n  Array.prototype.x = 1',
  regex: '1;\n  /(?i:a)b/',
  'back-reference': '1;\n  /(a)\\1/',
  bidi: "1\n  const a = '\u202E'",
}

function problemOf(source: string): { message: string; info: ScriptProblem } {
  try {
    script(source)
  } catch (error) {
    if (MandateError.isInstance(error)) return { message: error.message, info: error.info as ScriptProblem }
    throw error
  }
  throw new Error(`not refused: ${source}`)
}

describe('what the subset leaves out', () => {
  test.each(Object.keys(refusals) as RefusedFeature[])(
    '%s is refused with its place and code that does the same',
    (feature) => {
      const { message, info } = problemOf(samples[feature])
      expect(info).toMatchObject({ kind: 'refused', feature, line: 2, instead: refusals[feature].instead })
      expect(message).toContain(refusals[feature].instead)
      expect(message).toContain(`line 2, column ${info.column}`)
    },
  )

  test.each(Object.entries(refusals))(
    'the code offered instead of %s is inside the subset or plain words',
    (_, { instead }) => {
      const isCode = /[;=()[\]]/.test(instead) && !/, or: |\(or |, and /.test(instead)
      if (isCode)
        expect(() => script(`async () => { ${instead.startsWith('{') ? `(${instead})` : instead} }`)).not.toThrow()
      else expect(instead.length).toBeGreaterThan(5)
    },
  )
})

describe('what is no JavaScript', () => {
  const wrong = [
    'let a; let a',
    'const a',
    'break',
    'continue',
    'a: { continue a }',
    'for (;;) { break b }',
    '(a, a) => 1',
    'if (1) let x',
    '({ a = 1 })',
    '1 = 2',
    '({}) = 1',
    'a ?? b || c',
    '-1 ** 2',
    'try {}',
    'throw\n1',
    'switch (1) { default: default: }',
    "'abc",
    '`abc',
    '/abc',
    '"\\u{110000}"',
    '1_',
    '0x',
    '3in []',
    'let let = 1',
    'return return',
    'for (const x = 1 of y) {}',
    '{ let a; var a }',
    'catch (e) {}',
    'function () {}',
    '() + 1',
    'a => {} ()',
    'async (a, a) => 1',
    '[...a, b] = c',
    '({ ...{ a } } = b)',
    'let [a]',
    '/a/gg',
    '/[b-a]/',
    '/(/',
  ]
  test.each(wrong)('%s', (source) => {
    expect(problemOf(source).info.kind).toBe('syntax')
  })

  test('a script that is too long or too deep is refused by its limit', () => {
    expect(problemOf('a'.repeat(300_000)).info.kind).toBe('limit')
    expect(problemOf('('.repeat(5_000)).info.kind).toBe('limit')
    expect(problemOf(`${'!'.repeat(5_000)}1`).info.kind).toBe('limit')
    expect(problemOf(`a${'.b'.repeat(5_000)}`).info.kind).toBe('limit')
    expect(problemOf(`a${'+b'.repeat(5_000)}`).info.kind).toBe('limit')
    expect(problemOf('{'.repeat(5_000)).info.kind).toBe('limit')
    expect(problemOf('if (1) '.repeat(5_000)).info.kind).toBe('limit')
    expect(problemOf('()=>'.repeat(5_000)).info.kind).toBe('limit')
    expect(problemOf('['.repeat(5_000)).info.kind).toBe('limit')
  })
})
