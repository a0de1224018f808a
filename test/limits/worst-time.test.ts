import { expect, test } from 'vitest'
import { scriptBuiltins } from '../../src/vm/builtins/index.ts'
import { UNITS_PER_FUEL } from '../../src/vm/meter/live.ts'
import { compileScript, echoPort } from '../../src/vm/machine/script.fixture.ts'
import { createMachine } from '../../src/vm/machine/machine.ts'
import { BuiltinFunction } from '../../src/vm/value/builtin-function.ts'
import { rotate } from '../rotation.ts'
import { THROWING, callsFor } from './calls.ts'
import { setupFor } from './shapes.ts'

/** No unit of fuel may take so many times longer than one of arithmetic. */
const RATIO_MAX = 20
const SIZES = [1_000, 16_000, 128_000]
/** Units that one measurement should spend: enough to be seen beside the noise. */
const UNITS = 4_000_000
const TURNS_MAX = 20_000
const ATTEMPTS = 8

/** Every built-in that can be called or constructed, as the tables of the VM list them. */
function builtinPaths(): string[] {
  const paths = new Set<string>()
  const visit = (value: unknown): void => {
    if (!(value instanceof BuiltinFunction) || paths.has(value.path)) return
    if (value.builtin !== undefined || value.construct !== undefined) paths.add(value.path)
    for (const member of value.members?.values() ?? []) visit(member)
  }
  for (const methods of scriptBuiltins.methods.values()) for (const method of methods.values()) visit(method)
  for (const global of scriptBuiltins.globals.values()) visit(global)
  return [...paths].sort()
}

/** Milliseconds of processor time of this thread, so that other processes do not count. */
function processorMs(): number {
  const usage = (process as { threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.() ?? process.cpuUsage()
  return (usage.user + usage.system) / 1_000
}

interface Spent {
  readonly ms: number
  readonly units: number
}

async function spent(source: string): Promise<Spent> {
  const limits = { fuel: 1e7, memoryBytes: 2 ** 29, wallMs: 1e6, stringLength: 2 ** 24, outputBytes: 2 ** 26 }
  const machine = createMachine(compileScript(source), { port: echoPort, limits })
  const before = processorMs()
  const { error, fuelUsed } = await machine.run()
  const ms = processorMs() - before
  if (error !== undefined) throw new Error(`${error.message}\n${source}`)
  return { ms, units: fuelUsed * UNITS_PER_FUEL }
}

const ARITHMETIC =
  'const f = (a, b) => (a * 31 + b) % 1000003; let n = 0; for (let i = 0; i < 40000; i++) n = f(n, i); n'

function turnsOf(call: string, size: number, turns: number): string {
  return `${setupFor(call, size)}; for (let i = 0; i < ${turns}; i++) try { ${call} } catch (e) { if (e.name === 'ReferenceError') throw e } 0`
}

/** Nanoseconds of one unit of a call, its setup taken off. */
async function unitNs(call: string, size: number, turns: number): Promise<number> {
  const setup = await spent(turnsOf(call, size, 0))
  const whole = await spent(turnsOf(call, size, turns))
  return ((whole.ms - setup.ms) * 1e6) / (whole.units - setup.units)
}

/** The least of several measurements beside arithmetic: noise only adds. */
async function ratioOf(call: string, size: number): Promise<number> {
  const setup = await spent(turnsOf(call, size, 0))
  const once = (await spent(turnsOf(call, size, 2))).units - setup.units
  const turns = Math.max(2, Math.min(TURNS_MAX, Math.ceil((UNITS * 2) / once)))
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && least > RATIO_MAX; attempt += 1) {
    const arithmetic = await spent(ARITHMETIC)
    const own = await unitNs(call, size, turns)
    least = Math.min(least, own / ((arithmetic.ms * 1e6) / arithmetic.units))
  }
  return least
}

const paths = builtinPaths()

test('every built-in of the tables is measured', () => {
  expect(paths.length).toBeGreaterThan(200)
  expect(paths.filter((path) => callsFor(path) === undefined)).toEqual([])
})

const cases = rotate(
  paths.flatMap((path) => (callsFor(path) ?? []).flatMap((call) => SIZES.map((size) => ({ path, call, size })))),
  'worst time of built-ins',
)

test('no unit of fuel buys more than twenty units of arithmetic', { timeout: 600_000 }, async () => {
  for (let warm = 0; warm < 20; warm += 1) await spent(ARITHMETIC)
  const over: string[] = []
  for (const { path, call, size } of cases) {
    const ratio = await ratioOf(call, size)
    if (ratio > RATIO_MAX) over.push(`${path} at ${size}: ${call}: ${ratio.toFixed(0)} times`)
  }
  expect(over).toEqual([])
})

test('no unit of fuel buys more than twenty units of arithmetic where errors are thrown and caught', async () => {
  for (let warm = 0; warm < 20; warm += 1) await spent(ARITHMETIC)
  const over: string[] = []
  for (const form of THROWING) {
    const ratio = await ratioOf(form, 1_000)
    if (ratio > RATIO_MAX) over.push(`${form}: ${ratio.toFixed(0)} times`)
  }
  expect(over).toEqual([])
})
