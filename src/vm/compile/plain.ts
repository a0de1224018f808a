import { driveAlone } from '../machine/computing.ts'
import { itemsOf } from '../machine/items.ts'
import { OPERATIONS } from '../value/operators.ts'
import { EMIT_ACCESS, writeOwn } from './emit-access.ts'
import { emitSteps } from './emit-blocks.ts'
import { EMIT_EXPRS } from './emit-exprs.ts'
import { EMIT_RESUMABLES } from './emit-resumable.ts'
import { EMIT_STEPS } from './emit-steps.ts'
import type { Language } from './language.ts'
import { EXPR_FIELDS, LOWER_EXPRS } from './lower-exprs.ts'
import { LOWER_STEPS } from './lower-steps.ts'
import { suspendsWith } from './suspending.ts'

/** JSON programs that only compute: they call no function, and ask nothing of the world. */
export const PLAIN: Language = {
  isScript: false,
  lowerExprs: new Map(LOWER_EXPRS),
  wireFields: EXPR_FIELDS,
  lowerSteps: new Map(LOWER_STEPS),
  operations: OPERATIONS,
  exprs: new Map([...EMIT_EXPRS, ...EMIT_ACCESS]),
  steps: new Map(EMIT_STEPS),
  resumables: new Map(EMIT_RESUMABLES),
  writeRef: writeOwn,
  statements: emitSteps,
  iterate: itemsOf,
  functions: () => [],
  drive: driveAlone,
  suspends: suspendsWith(() => false),
  hoist: (st) => [st],
}
