import { OPERATIONS } from '../value/operators.ts'
import { callTo } from './emit/emit-call-to.ts'
import { EMIT_ACCESS } from './emit/emit-access.ts'
import { emitSteps } from './emit/emit-blocks.ts'
import { EMIT_CALLS } from './emit/emit-calls.ts'
import { EMIT_EXPRS } from './emit/emit-exprs.ts'
import { EMIT_LOOPS } from './emit/emit-loops.ts'
import { EMIT_RESUMABLES } from './emit/emit-resumable.ts'
import { EMIT_STEPS } from './emit/emit-steps.ts'
import { readVar, writeRef } from './emit/emit-variables.ts'
import { request } from './emit/emit-waits.ts'
import { hoistCore } from './lower/hoist.ts'
import type { Language } from './language.ts'
import { EXPR_FIELDS, LOWER_EXPRS } from './lower/lower-exprs.ts'
import { CALL_FIELDS, LOWER_CALLING_STEPS, LOWER_CALLS } from './lower/lower-calls.ts'
import { LOWER_STEPS } from './lower/lower-steps.ts'

/** The language of JSON programs. */
export const CORE: Language = {
  isScript: false,
  lowerExprs: new Map([...LOWER_EXPRS, ...LOWER_CALLS]),
  wireFields: new Map([...EXPR_FIELDS, ...CALL_FIELDS]),
  lowerSteps: new Map([...LOWER_STEPS, ...LOWER_CALLING_STEPS]),
  operations: OPERATIONS,
  exprs: new Map([...EMIT_EXPRS, ...EMIT_ACCESS, ['var', readVar], ...EMIT_CALLS]),
  writeRef,
  steps: new Map([...EMIT_STEPS, ...EMIT_LOOPS]),
  statements: emitSteps,
  functions: () => [],
  resumables: new Map([...EMIT_RESUMABLES, ['callto', callTo], ['request', request]]),
  hoist: hoistCore,
}
