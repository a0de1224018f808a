import { MandateError, unknownField } from '../../core/index.ts'
import { checkAmount } from './amount.ts'
import type { AnyAtom } from './atom.ts'
import { FLOW_NAMES } from './set/flow.ts'
import type { VmRunOptions } from './run-options.ts'

/** Blocks that are rewritten to other steps before they are compiled. */
const LOWERED: readonly string[] = ['memoize', 'cache']

type Overrides = Pick<VmRunOptions, 'costOverrides' | 'timeoutOverrides' | 'quotas'>

/** Throws for overrides of unknown operations, invalid values, and overrides that would have no effect. */
export function checkOverrides(
  { costOverrides = {}, timeoutOverrides = {}, quotas = {} }: Overrides,
  atoms: ReadonlyMap<string, AnyAtom>,
  tools: readonly string[],
): void {
  const steps = [...atoms.keys(), ...FLOW_NAMES]
  for (const [op, cost] of Object.entries(costOverrides)) {
    checkOp('costOverrides', op, steps)
    if (typeof cost !== 'function') checkAmount(cost, `\`costOverrides.${op}\``)
    if (LOWERED.includes(op))
      throw invalid(`\`costOverrides.${op}\`: ${op} costs what the steps cost that it is written with. Set theirs.`)
    if (typeof cost === 'function' && FLOW_NAMES.has(op))
      throw invalid(`\`costOverrides.${op}\`: a step of the language has no input to go by. Give a number.`)
  }
  for (const [op, ms] of Object.entries(timeoutOverrides)) {
    checkOp('timeoutOverrides', op, steps)
    checkAmount(ms, `\`timeoutOverrides.${op}\``)
    if (ms > 0 && FLOW_NAMES.has(op))
      throw invalid(
        `\`timeoutOverrides.${op}\`: the language's own steps have no time of their own. Use \`timeoutMs\`.`,
      )
  }
  for (const [op, count] of Object.entries(quotas)) {
    checkOp('quotas', op, [...steps, ...tools])
    checkAmount(count, `\`quotas.${op}\``)
    if ('inline' in (atoms.get(op) ?? {}) || (FLOW_NAMES.has(op) && !tools.includes(op)))
      throw invalid(`\`quotas.${op}\` cannot be counted: ${op} only computes, and fuel limits that.`)
  }
}

function checkOp(option: string, op: string, known: readonly string[]): void {
  if (!known.includes(op)) throw invalid(`\`${option}\`: ${unknownField(op, 'an operation of this machine', known)}`)
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
