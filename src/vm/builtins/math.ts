import { burn, live } from '../meter/live.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { func, namespace } from './constructors.ts'

const constants = {
  E: Math.E,
  LN10: Math.LN10,
  LN2: Math.LN2,
  LOG10E: Math.LOG10E,
  LOG2E: Math.LOG2E,
  PI: Math.PI,
  SQRT1_2: Math.SQRT1_2,
  SQRT2: Math.SQRT2,
}
const ofOne = {
  abs: Math.abs,
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  cbrt: Math.cbrt,
  ceil: Math.ceil,
  clz32: Math.clz32,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  expm1: Math.expm1,
  floor: Math.floor,
  fround: Math.fround,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  round: Math.round,
  sign: Math.sign,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
  trunc: Math.trunc,
}
const ofTwo = { atan2: Math.atan2, imul: Math.imul, pow: Math.pow }
/** Arguments passed to the host at once. */
const PART = 1_000
const ofMany = { hypot: Math.hypot, max: Math.max, min: Math.min }

function numberOf(value: Guest): number {
  return typeof value === 'number' ? value : toNumber(value)
}

const members = new Map<string, Guest>()
for (const [name, value] of Object.entries(constants)) members.set(name, value)
for (const [name, work] of Object.entries(ofOne)) {
  const one = (_: Guest, value: Guest): number => work(numberOf(value))
  members.set(
    name,
    func(`Math.${name}`, 1, (receiver, args) => one(receiver, args[0]), { one, cost: 100 }),
  )
}
for (const [name, work] of Object.entries(ofTwo)) {
  const two = (_: Guest, a: Guest, b: Guest): number => work(numberOf(a), numberOf(b))
  members.set(
    name,
    func(`Math.${name}`, 2, (receiver, args) => two(receiver, args[0], args[1]), { two, cost: 100 }),
  )
}
for (const [name, work] of Object.entries(ofMany)) {
  const many = (_: Guest, args: readonly Guest[]): number => {
    burn(args.length * 10)
    const numbers = args.map(numberOf)
    // The host limits the number of arguments; the three functions can be applied in parts.
    let result = work(...numbers.slice(0, PART))
    for (let from = PART; from < numbers.length; from += PART)
      result = work(result, ...numbers.slice(from, from + PART))
    return result
  }
  const two = (_: Guest, a: Guest, b: Guest): number => work(numberOf(a), numberOf(b))
  members.set(name, func(`Math.${name}`, 2, many, { two, cost: 100 }))
}
// Random numbers come from the machine: recorded, and the same on replay.
members.set(
  'random',
  func('Math.random', 0, () => live.machine.random()),
)

/** `Math`. */
export const mathGlobal: BuiltinFunction = namespace('Math', members)
