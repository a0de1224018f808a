import { drive } from '../machine/driver.ts'
import { invoke } from '../machine/invoke.ts'
import { seededRandom } from '../../core/index.ts'
import { iterate } from '../machine/iterate.ts'
import { Waiting } from '../machine/waiting.ts'
import { callTo } from './emit-call-to.ts'
import { EMIT_CALLS } from './emit-calls.ts'
import { emitPrologue, functionBody } from './emit-function.ts'
import { EMIT_LOOPS } from './emit-loops.ts'
import { readVar, writeRef } from './emit-variables.ts'
import { request } from './emit-waits.ts'
import { hoistCore } from './hoist.ts'
import type { Language } from './language.ts'
import { CALL_FIELDS, LOWER_CALLING_STEPS, LOWER_CALLS, readHelpers } from './lower-calls.ts'
import { PLAIN } from './plain.ts'
import { suspends } from './suspends.ts'

/** All JSON programs: those that only compute, and those that call functions or ask the world. */
export const CORE: Language = {
  ...PLAIN,
  lowerExprs: new Map([...PLAIN.lowerExprs, ...LOWER_CALLS]),
  wireFields: new Map([...PLAIN.wireFields, ...CALL_FIELDS]),
  lowerSteps: new Map([...PLAIN.lowerSteps, ...LOWER_CALLING_STEPS]),
  exprs: new Map([...PLAIN.exprs, ['var', readVar], ...EMIT_CALLS]),
  writeRef,
  steps: new Map([...PLAIN.steps, ...EMIT_LOOPS]),
  iterate,
  resumables: new Map([...PLAIN.resumables, ['callto', callTo], ['request', request]]),
  suspends,
  hoist: hoistCore,
  helpers: readHelpers,
  waiting: (machine, port, onArrival) => new Waiting(machine, port, onArrival),
  prologue: emitPrologue,
  functionBody,
  random(seed) {
    const numbers = seededRandom(seed)
    return () => numbers.next()
  },
  invoke,
  drive,
}
