import { expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import type { Compiled } from '../compile/compile.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestObject } from '../value/guest-object.ts'
import { getNamed } from '../value/property.ts'
import { invoke } from './invoke.ts'
import { createMachine } from './machine.ts'
import { compileScript } from './script.fixture.ts'
import { readValues, writeValues } from './value-serialization.ts'

const SOURCE = `
  class Account {
    static made = 0
    #balance = 1
    owner = 'Ada'
    constructor() { Account.made += 1 }
    add(n) { this.#balance += n; return this.#balance }
    get shown() { return this.owner + ' ' + this.#balance }
    set name(v) { this.owner = v }
  }
  class Saved extends Account { add(n) { return super.add(n) + 100 } }
  const fixed = Object.defineProperty({ a: 1 }, 'secret', { value: 2 })
  args.kept = { one: new Saved(), make: Saved, fixed }
  await tools.echo(1)`

async function made(): Promise<{ compiled: Compiled; text: string }> {
  const compiled = compileScript(SOURCE)
  const machine = createMachine(compiled, { args: {} })
  machine.start()
  await machine.idle()
  const root = (machine.args as GuestObject).get('kept') as GuestObject
  const values = new Map(root.keys().map((key) => [key, root.get(key)]))
  return { compiled, text: machine.within(() => writeValues(compiled, values)) }
}

test('objects of classes keep their prototype, private fields, accessors and statics', async () => {
  const { compiled, text } = await made()
  const machine = createMachine(compiled, { args: {} })
  machine.within(() => {
    const values = readValues(compiled, text)
    const [one, make, fixed] = ['one', 'make', 'fixed'].map((name) => values.get(name)) as [Guest, Guest, GuestObject]
    expect(invoke(getNamed(one, 'add'), [4], one)).toBe(105)
    expect(getNamed(one, 'shown')).toBe('Ada 5')
    expect((one as GuestObject).keys()).toEqual(['owner'])
    expect(getNamed(one, 'constructor')).toBe(make)
    expect(getNamed(make, 'made')).toBe(1)
    expect([fixed.keys(), fixed.get('secret'), fixed.set('secret', 3)]).toEqual([['a'], 2, false])
  })
})

test('prototypes that go round in a circle are refused', async () => {
  const { compiled, text } = await made()
  const kept = JSON.parse(text) as { cells: unknown[][] }
  const at = kept.cells.findIndex((cell) => cell[0] === 'o' && Array.isArray(cell[2]))
  ;(kept.cells[at]![2] as unknown[])[1] = [at]
  const machine = createMachine(compiled, { args: {} })
  expect(() => machine.within(() => readValues(compiled, JSON.stringify(kept)))).toThrow(MandateError)
})
