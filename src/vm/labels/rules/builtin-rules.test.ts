import { describe, expect, test } from 'vitest'
import { scriptBuiltins } from '../../builtins/index.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { BUILTIN_RULES } from './builtin-rules.ts'

/** Every built-in that programs can call, by its path. */
function paths(): string[] {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (!(value instanceof BuiltinFunction)) return
    if (value.builtin !== undefined || value.construct !== undefined) found.add(value.path)
    for (const member of value.members?.values() ?? []) visit(member)
  }
  for (const methods of scriptBuiltins.methods.values()) for (const method of methods.values()) visit(method)
  for (const value of scriptBuiltins.globals.values()) visit(value)
  return [...found].sort()
}

describe('label rules of built-ins', () => {
  test('there is one for every built-in, and none for what is no built-in', () => {
    expect([...BUILTIN_RULES.keys()].sort()).toEqual(paths())
  })

  test('there are as many as there are built-ins, so that the comparison is about something', () => {
    expect(paths().length).toBeGreaterThan(250)
  })
})
