import { capabilityValues } from '../capabilities.ts'
import { CORE } from '../core.ts'
import type { Language } from '../language.ts'
import { SCRIPT_OPERATIONS } from '../../value/script-operators.ts'
import { ScriptDeclarations } from './declarations.ts'
import { emitAssign, emitUpdate, makePut } from './emit/emit-assign.ts'
import { emitBinary, emitConditional, emitUnary } from './emit/emit-operators.ts'
import { emitLet } from './emit/emit-let.ts'
import { emitFastMethod, emitFound } from './emit/emit-methods.ts'
import { emitFastIndex, emitFastMember } from './emit/emit-reads.ts'
import { scriptExprs } from './emit/emit-script-exprs.ts'
import { EMIT_SCRIPT_RESUMABLES } from './emit/emit-script-resumables.ts'
import { EMIT_SCRIPT_STEPS } from './emit/emit-script-steps.ts'
import { emitFastStatements, emitFunctions } from './emit/emit-statements.ts'
import { hoistScript } from './hoist-script.ts'
import { instanceOf } from './instance-of.ts'
import { makeListMethods } from './list-methods.ts'
import { LOWER_SCRIPT_EXPRS, SCRIPT_FIELDS } from './lower-script-exprs.ts'
import { LOWER_SCRIPT_STEPS } from './lower-script-steps.ts'

/** The script language: JavaScript semantics for core nodes, and the script-only nodes. */
export const scriptLanguage: Language = {
  ...CORE,
  isScript: true,
  lowerExprs: new Map([...CORE.lowerExprs, ...LOWER_SCRIPT_EXPRS]),
  wireFields: new Map([...CORE.wireFields, ...SCRIPT_FIELDS]),
  lowerSteps: new Map([['seq', CORE.lowerSteps.get('seq')!], ...LOWER_SCRIPT_STEPS]),
  operations: new Map([...SCRIPT_OPERATIONS, ['instanceof', instanceOf]]),
  exprs: new Map([
    ...CORE.exprs,
    ...scriptExprs(CORE.exprs),
    ['binary', emitBinary],
    ['conditional', emitConditional],
    ['unary', emitUnary],
    ['assign', emitAssign],
    ['update', emitUpdate],
    ['method', emitFastMethod],
    ['found', emitFound],
    ['member', emitFastMember],
    ['index', emitFastIndex],
  ]),
  steps: new Map([...CORE.steps, ...EMIT_SCRIPT_STEPS]),
  resumables: new Map([...CORE.resumables, ...EMIT_SCRIPT_RESUMABLES]),
  hoist: hoistScript,
  listMethods: makeListMethods(() => scriptLanguage),
  statements: emitFastStatements,
  functions: emitFunctions,
  put: makePut,
  emitLet,
  capabilities: capabilityValues,
  declarations: (resolver, usesVar) => new ScriptDeclarations(resolver, usesVar),
}
