import { expect, test } from 'vitest'
import { memberPointer, pointerName } from './json-pointer.ts'

test('a name with the signs of pointers is escaped, and read back', () => {
  expect(memberPointer('/a', 'b/c~d')).toBe('/a/b~1c~0d')
  for (const name of ['', 'b/c~d', '~1', '~01', '/']) expect(pointerName(memberPointer('', name).slice(1))).toBe(name)
})
