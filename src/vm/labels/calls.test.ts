import { expect, test } from 'vitest'
import { compileByMode } from '../atoms/compile-by-mode.ts'
import { createMachine } from '../machine/machine.ts'
import { script } from '../script/index.ts'
import type { JsonObject } from '../../core/index.ts'

const CHANGING = 'const o = { f: (x) => "old" + x }; const g = async () => { o.f = (x) => "new" + x; return 1 }; '

for (const [what, source] of [
  ['waited for', `${CHANGING} o.f(await g())`],
  ['called', 'const o = { f: () => "old" }; const g = () => { for (const i of [1]) o.f = () => "new" + i }; o.f(g())'],
] as const)
  test(`with labels and without, a method is found before arguments that are ${what}`, async () => {
    const program = script(source) as unknown as JsonObject
    const plain = await createMachine(compileByMode(program, { followsLabels: false })).run()
    const labelled = await createMachine(compileByMode(program, { followsLabels: true }), { argsLabels: [] }).run()
    expect(plain.result).toMatch(/^old/)
    expect(labelled.result).toBe(plain.result)
    expect(labelled.fuelUsed).toBe(plain.fuelUsed)
  })
