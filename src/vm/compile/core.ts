import { OPERATIONS } from '../value/operators.ts'
import { EMIT_ACCESS } from './emit-access.ts'
import { emitSteps } from './emit-blocks.ts'
import { callTo } from './emit-call-to.ts'
import { EMIT_CALLS } from './emit-calls.ts'
import { EMIT_EXPRS } from './emit-exprs.ts'
import { EMIT_RESUMABLES } from './emit-resumable.ts'
import { EMIT_STEPS } from './emit-steps.ts'
import { request } from './emit-waits.ts'
import { hoistCore } from './hoist.ts'
import type { Language } from './language.ts'
import { LOWER_EXPRS } from './lower-exprs.ts'
import { LOWER_STEPS } from './lower-steps.ts'

/** JSON programs. */
export const CORE: Language = {
  isScript: false,
  lowerExprs: new Map(LOWER_EXPRS),
  lowerSteps: new Map(LOWER_STEPS),
  operations: OPERATIONS,
  exprs: new Map([...EMIT_EXPRS, ...EMIT_ACCESS, ...EMIT_CALLS]),
  steps: new Map(EMIT_STEPS),
  resumables: new Map([...EMIT_RESUMABLES, ['callto', callTo], ['request', request]]),
  statements: emitSteps,
  functions: () => [],
  hoist: hoistCore,
}
