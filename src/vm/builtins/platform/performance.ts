import { live } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { functions, namespace } from '../constructors.ts'

/** `performance`: its clock is that of `Date.now()`, the recorded one of the run, counted from 1970. */
export const performanceGlobal: BuiltinFunction = namespace(
  'performance',
  new Map<string, Guest>([...functions('performance', { now: [0, () => live.machine.now()] }), ['timeOrigin', 0]]),
)
