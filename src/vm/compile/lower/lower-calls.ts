import { unknownField } from '../../../core/index.ts'
import { COST } from '../../meter/cost.ts'
import type { AtomSpec } from '../../port.ts'
import type { Program } from '../../program.ts'
import type { Ex, Fn, Var } from '../ir.ts'
import type { Request, St } from '../ir-statements.ts'
import type { Fields, LowerExpr, LowerStep } from '../language.ts'
import { atomFields, bind, fixedCost, lowerInline, readPath } from './lower-steps.ts'
import type { Lowering } from './lowering.ts'
import { wireFields } from './node-fields.ts'
import type { WireFields } from './node-fields.ts'

function callee(node: Fields, low: Lowering): Ex {
  const name = node['callee']
  if (typeof name !== 'string') return low.expr(node, 'callee')
  return low.language.isScript ? { k: 'var', name } : readPath(name, low)
}

/** The specification of `toolCall`, whose tool name is computed. */
const TOOL_CALL: AtomSpec = { op: 'toolCall', cost: 1 }

/** The tool name of a call expression: `tools.search(…)` in one of three spellings. */
function toolNamed(node: Fields, low: Lowering): string | undefined {
  if (low.language.isScript || low.isGiven('tools')) return undefined
  const { callee: called, object, method } = node
  if (typeof called === 'string') return called.startsWith('tools.') ? called.slice('tools.'.length) : undefined
  if (isToolsIdent(object) && typeof method === 'string') return method
  const member = called as Fields | undefined
  if (member?.['$expr'] !== 'member' || !isToolsIdent(member['object'])) return undefined
  const { property } = member
  if (typeof property === 'string') return property
  return low.fail('the name of a tool is written out. For a computed one use `{ op: "toolCall", name, input }`.')
}

function isToolsIdent(node: unknown): boolean {
  const { $expr, name } = (node ?? {}) as Fields
  return $expr === 'ident' && name === 'tools'
}

/** Lowers a tool call in an expression: the request is made before the step, and its result replaces the call. */
function lowerToolExpr(name: string, node: Fields, low: Lowering): Ex {
  low.checkTool(name, node)
  return low.ask(node, () => {
    const args = low.exprs(node, 'arguments')
    if (args.length > 1) low.fail('a tool takes one argument, its input.', low.at(node))
    const input: Ex = args[0] ?? { k: 'object', properties: [] }
    return toolRequest({ k: 'lit', value: name }, input)
  })
}

function toolRequest(name: Ex, input: Ex): Omit<Request, 'target'> {
  const properties = [
    { key: 'name', value: name },
    { key: 'input', value: input },
  ]
  return { k: 'request', atom: TOOL_CALL, fields: { k: 'object', properties }, cost: fixedCost(TOOL_CALL) }
}

const TOOL_CALL_FIELDS = ['op', 'name', 'input', 'result', 'resultConst', 'at']

function lowerToolCall(step: Fields, low: Lowering): readonly St[] {
  const strange = Object.keys(step).find((field) => !TOOL_CALL_FIELDS.includes(field))
  if (strange !== undefined) low.fail(unknownField(strange, 'a field of `toolCall`', TOOL_CALL_FIELDS))
  if (typeof step['name'] === 'string') low.checkTool(step['name'], step)
  const name = low.expr(step, 'name')
  const input = low.optional(step, 'input') ?? { k: 'object', properties: [] }
  return bindRequest(step, toolRequest(name, input), low)
}

/** A call; a method call if the callee is a member, so that built-ins see the receiver. */
function lowerCall(node: Fields, low: Lowering): Ex {
  const tool = toolNamed(node, low)
  if (tool !== undefined) return lowerToolExpr(tool, node, low)
  low.noteCall()
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

/** Lowering of calls. */
export const LOWER_CALLS: readonly (readonly [string, LowerExpr])[] = [
  ['call', lowerCall],
  [
    'methodCall',
    (node, low) => {
      const tool = toolNamed(node, low)
      if (tool !== undefined) return lowerToolExpr(tool, node, low)
      low.noteCall()
      return {
        k: 'method',
        object: low.expr(node, 'object'),
        name: low.text(node, 'method'),
        args: low.exprs(node, 'arguments'),
        optional: low.flag(node, 'optional'),
        optionalCall: false,
      }
    },
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
  if (atom.lower !== undefined) {
    // The key would be evaluated twice.
    if (step['key'] !== undefined) low.perhaps(() => low.expr(step, 'key'))
    return atom.lower(step).flatMap((item, index) => low.within(index, () => low.step(item)))
  }
  if (atom.inline !== undefined) return lowerInline(step, low)
  return bindRequest(step, { k: 'request', atom, fields: atomFields(step, low), cost: fixedCost(atom) }, low)
}

/** Binds the outcome of a request to the `result` of the step. */
function bindRequest(step: Fields, request: Omit<Request, 'target'>, low: Lowering): readonly St[] {
  const isConst = low.flag(step, 'resultConst')
  const result = Object.hasOwn(step, 'result') && step['result'] !== undefined ? low.text(step, 'result') : undefined
  if (!isConst || result === undefined)
    return [{ ...request, target: result === undefined ? undefined : low.target(result) }]
  const hidden = low.hiddenTarget()
  return [
    { ...request, target: hidden },
    { k: 'constset', target: low.constTarget(result), value: { k: 'var', name: hidden.name } },
  ]
}

/** Lowering of steps that call a helper or make a request. */
export const LOWER_CALLING_STEPS: readonly (readonly [string, LowerStep])[] = [
  ['callLocal', lowerCallLocal],
  ['toolCall', lowerToolCall],
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

/** Lowers the `helpers` of a program. */
export function readHelpers(program: Program, low: Lowering): Map<string, Fn> {
  const helpers = new Map<string, Fn>()
  if (!Object.hasOwn(program, 'helpers') || program.helpers === undefined) return helpers
  const names = Object.keys(low.record(program.helpers))
  // Declares all names first, because helpers may call each other.
  for (const name of names) low.helpers.add(name)
  for (const name of names) {
    const fn = low.within('helpers', () => low.within(name, () => lowerHelper(name, program.helpers![name], low)))
    helpers.set(name, fn)
  }
  return helpers
}
