import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../core/index.ts'
import type { FuelTap } from '../../run/index.ts'
import { runScript } from '../machine/script.fixture.ts'
import { COST_TABLE, COST_TABLES } from '../meter/cost.ts'
import { VM_PINS, checkVmPins, fuelOf, withoutMeasures } from './vm-pins.ts'

const LOOP = 'let n = 0; for (let i = 0; i < 2000; i++) n += i; await tools.echo({ n }); '

/** The budget of a run that repeats its recorded work until its first call is answered. */
function tapOf(budget = Number.POSITIVE_INFINITY): { tap: FuelTap; port: object; drawn: () => number } {
  let isRepeating = true
  let drawn = 0
  const tap = {
    get isRepeating() {
      return isRepeating
    },
    draw(fuel: number) {
      const given = Math.min(fuel, budget - drawn)
      drawn += given
      return given
    },
    giveBack(fuel: number) {
      drawn -= fuel
    },
    refusal: () => 'no budget',
    memoryMax: undefined,
    held: () => {},
  } satisfies FuelTap
  const port = {
    async perform(): Promise<Outcome> {
      isRepeating = false
      return { status: 'ok', value: null }
    },
  }
  return { tap, port, drawn: () => drawn }
}

const older = { ...VM_PINS, costs: 'vm-2' }
const run = (
  source: string,
  pins: typeof VM_PINS,
  { tap, port }: ReturnType<typeof tapOf>,
  fuel = 20,
): Promise<object> => runScript(source, { limits: { fuel }, pool: fuelOf(pins, tap), port: port as never })

describe('the fuel of a run that began under an earlier cost table', () => {
  it('does not limit what it has recorded, and limits what follows', async () => {
    expect(await run(`${LOOP} return n`, VM_PINS, tapOf())).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' } })
    expect(await run(`${LOOP} return n`, older, tapOf())).toMatchObject({ result: 1_999_000 })
    expect(await run(`${LOOP} for (;;) n += 1`, older, tapOf())).toMatchObject({
      error: { code: 'LIMIT_EXCEEDED', info: { limit: 'fuel', allowed: 20 } },
    })
  })

  it('counts against the budget of its tree, which refuses only what follows', async () => {
    const whole = tapOf()
    await run(`${LOOP} return n`, older, whole)
    expect(whole.drawn()).toBeGreaterThan(20)
    expect(whole.drawn()).toBeLessThan(200)
    const small = tapOf(10)
    expect(await run(`${LOOP} return n`, older, small)).toMatchObject({ result: 1_999_000 })
    expect(small.drawn()).toBeLessThanOrEqual(10)
    expect(await run(`${LOOP} for (;;) n += 1`, older, tapOf(10))).toMatchObject({ error: { message: 'no budget' } })
  })
})

describe('the versions that a run pins', () => {
  it('are those of now or earlier ones that this build continues', () => {
    for (const costs of COST_TABLES.keys())
      for (const vm of ['mandate-vm-1', 'mandate-vm-2', VM_PINS.vm])
        expect(() => checkVmPins({ vm, costs })).not.toThrow()
    for (const other of [{ costs: 'vm-99' }, { vm: 'mandate-vm-99' }])
      expect(() => checkVmPins({ ...VM_PINS, ...other })).toThrow(
        expect.objectContaining({ code: 'VERSION_UNSUPPORTED', message: expect.stringContaining('-99') }),
      )
  })

  it('decide whether a replay compares fuel and memory', () => {
    const output = { result: 1, fuelUsed: 2, memoryPeak: 3 }
    expect(withoutMeasures(output, VM_PINS)).toEqual(output)
    expect(withoutMeasures(output, older)).toEqual({ result: 1 })
    expect(withoutMeasures(null, older)).toBeNull()
    expect(VM_PINS.costs).toBe(COST_TABLE)
  })
})
