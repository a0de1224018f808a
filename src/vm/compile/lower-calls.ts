import { COST } from '../meter/cost.ts'
import type { Program } from '../program.ts'
import type { Ex, Fn, St, Var } from './ir.ts'
import type { Fields, LowerExpr, LowerStep } from './language.ts'
import { atomFields, bind, fixedCost, lowerInline } from './lower-steps.ts'
import type { Lowering } from './lowering.ts'
import { wireFields } from './node-fields.ts'
import type { WireFields } from './node-fields.ts'

function callee(node: Fields, low: Lowering): Ex {
  const name = node['callee']
  return typeof name === 'string' ? { k: 'var', name } : low.expr(node, 'callee')
}

/** A call: of a method when the callee is a member, so that the table of built-ins sees the receiver. */
export function lowerCall(node: Fields, low: Lowering): Ex {
  const target = callee(node, low)
  const args = low.exprs(node, 'arguments')
  const optional = low.flag(node, 'optional')
  if (target.k === 'member' || target.k === 'index')
    return {
      k: 'method',
      object: target.object,
      name: target.k === 'member' ? target.name : target.key,
      args,
      optional: target.optional,
      optionalCall: optional,
    }
  return { k: 'call', callee: target, args, optional }
}

/** The fields of calls. */
export const CALL_FIELDS: WireFields = wireFields({
  call: 'callee arguments optional',
  methodCall: 'object method arguments optional',
})

/** How calls are read. */
export const LOWER_CALLS: readonly (readonly [string, LowerExpr])[] = [
  ['call', lowerCall],
  [
    'methodCall',
    (node, low) => ({
      k: 'method',
      object: low.expr(node, 'object'),
      name: low.text(node, 'method'),
      args: low.exprs(node, 'arguments'),
      optional: low.flag(node, 'optional'),
      optionalCall: false,
    }),
  ],
]

function lowerCallLocal(step: Fields, low: Lowering): St[] {
  const name = low.text(step, 'name')
  if (!low.helpers.has(name)) low.fail(`there is no helper \`${name}\`. Add it under \`helpers\` of the program.`)
  const args = Object.hasOwn(step, 'args') ? low.exprs(step, 'args') : []
  const helper: Var = { k: 'var', name: `%helper:${name}` }
  return [{ ...bind(step, { k: 'call', callee: helper, args, optional: false }, low), cost: COST.step }]
}

function lowerAtom(step: Fields, low: Lowering): readonly St[] {
  const atom = low.atoms.get(step['op'] as string)!
  if (atom.lower !== undefined)
    return atom.lower(step).flatMap((item, index) => low.within(index, () => low.step(item)))
  if (atom.inline !== undefined) return lowerInline(step, low)
  const fields = atomFields(step, low)
  const cost = fixedCost(atom)
  const isConst = low.flag(step, 'resultConst')
  const result = Object.hasOwn(step, 'result') && step['result'] !== undefined ? low.text(step, 'result') : undefined
  if (!isConst || result === undefined)
    return [{ k: 'request', atom, fields, target: result === undefined ? undefined : low.target(result), cost }]
  const hidden = low.target(low.hiddenName())
  return [
    { k: 'request', atom, fields, target: hidden, cost },
    { k: 'constset', target: low.constTarget(result), value: { k: 'var', name: hidden.name } },
  ]
}

/** How steps are read that call a function of the program, or ask the world. */
export const LOWER_CALLING_STEPS: readonly (readonly [string, LowerStep])[] = [
  ['callLocal', lowerCallLocal],
  ['%atom', lowerAtom],
]

/** A helper of a JSON program as a function. */
function lowerHelper(name: string, value: unknown, low: Lowering): Fn {
  const fields = low.record(value)
  const params = low.list(fields, 'params', (param) =>
    typeof param === 'string' ? param : low.fail('parameters are names.'),
  )
  const body = low.isolated(() => low.scoped([...params], () => low.steps(fields, 'steps')))
  // The parameters are declared by the function itself.
  const names = body.names?.filter((own) => !params.includes(own))
  return {
    k: 'fn',
    name,
    params: params.map((param) => ({ name: param, isRest: false })),
    body: { ...body, names },
    isAsync: false,
    isIsolated: true,
  }
}

/** Reads the functions that a program brings along in `helpers`. */
export function readHelpers(program: Program, low: Lowering): Map<string, Fn> {
  const helpers = new Map<string, Fn>()
  if (!Object.hasOwn(program, 'helpers') || program.helpers === undefined) return helpers
  const names = Object.keys(low.record(program.helpers))
  // All names first: helpers may call one another.
  for (const name of names) low.helpers.add(name)
  for (const name of names) {
    const fn = low.within('helpers', () => low.within(name, () => lowerHelper(name, program.helpers![name], low)))
    helpers.set(name, fn)
  }
  return helpers
}
