import { MandateError } from '../../core/index.ts'
import { exportValue } from '../border/export.ts'
import type { AtomSpec } from '../port.ts'
import type { Guest } from '../value/guest.ts'

/** The fuel cost of an atom call. A negative or non-finite cost is refused: it would add fuel. */
export function atomCost(atom: AtomSpec, input: Guest): number {
  const cost = typeof atom.cost === 'number' ? atom.cost : atom.cost(exportValue(input))
  if (typeof cost !== 'number' || !Number.isFinite(cost) || cost < 0)
    throw new MandateError(
      'CONFIG_INVALID',
      `The cost of atom \`${atom.op}\` is ${String(cost)}. Give a finite number from 0 up.`,
    )
  return cost
}
