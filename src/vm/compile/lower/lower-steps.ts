import { COST } from '../../meter/cost.ts'
import { UNITS_PER_FUEL } from '../../meter/live.ts'
import type { AtomSpec } from '../../port.ts'
import type { Ex, ObjectEx } from '../ir.ts'
import type { St } from '../ir-statements.ts'
import type { Fields, LowerStep } from '../language.ts'
import type { Lowering } from './lowering.ts'
import { LOWER_LISTS } from './lower-lists.ts'

const STEP = COST.step

/** Binds a value to the `result` of a step; as a constant with `resultConst`. */
export function bind(step: Fields, value: Ex, low: Lowering): St {
  const name = Object.hasOwn(step, 'result') && step['result'] !== undefined ? low.text(step, 'result') : undefined
  if (name === undefined) return { k: 'expr', value }
  if (low.flag(step, 'resultConst')) return { k: 'constset', target: low.constTarget(name), value }
  return { k: 'expr', value: { k: 'assign', op: '', target: low.target(name), value } }
}

function set(name: string, value: Ex, low: Lowering): St {
  return { k: 'expr', value: { k: 'assign', op: '', target: low.target(name), value } }
}

/** Reads `a.b.c` with `undefined` for missing parts. */
export function readPath(path: string, low: Lowering): Ex {
  const [head, ...rest] = path.split('.')
  let ex: Ex = { k: 'var', name: low.name(head!) }
  for (const name of rest) ex = { k: 'member', object: ex, name, optional: false, lenient: true }
  return ex
}

/** `keys` of imports and exports: a list of names, or alias → name. */
function keyPairs(step: Fields, low: Lowering): [alias: string, path: string][] {
  const keys = step['keys']
  if (Array.isArray(keys))
    return keys.map((key: unknown) => (typeof key === 'string' ? [key, key] : low.fail('`keys` are names.')))
  return Object.entries(low.record(keys)).map(([alias, path]) =>
    typeof path === 'string' ? [alias, path] : low.fail('`keys` are names, or an object of alias and name.'),
  )
}

function lowerReturn(step: Fields, low: Lowering): St[] {
  if (Object.hasOwn(step, 'value') && step['value'] !== undefined)
    return [{ k: 'return', value: low.expr(step, 'value'), cost: STEP }]
  const schema = step['schema']
  if (schema === undefined) return [{ k: 'return', value: undefined, cost: STEP }]
  const fields = low.record(schema)
  const properties = Object.hasOwn(fields, 'properties') ? low.record(fields['properties']) : {}
  const value: Ex = {
    k: 'object',
    properties: Object.keys(properties).map((key) => ({ key, value: { k: 'var', name: key, lenient: true } })),
  }
  return [{ k: 'return', value, cost: STEP }]
}

function lowerTry(step: Fields, low: Lowering): St[] {
  const hasCatch = Object.hasOwn(step, 'catch') && step['catch'] !== undefined
  const block = low.block(step, 'try')
  if (!hasCatch)
    return [
      {
        k: 'try',
        block,
        handler: { k: 'block', body: [] },
        param: undefined,
        opParam: undefined,
        finalizer: undefined,
        cost: STEP,
      },
    ]
  const param = low.target(Object.hasOwn(step, 'catchParam') ? low.text(step, 'catchParam') : 'error')
  const opParam = low.target('errorOp')
  return [{ k: 'try', block, handler: low.block(step, 'catch'), param, opParam, finalizer: undefined, cost: STEP }]
}

/** Lowers an inline atom. */
export function lowerInline(step: Fields, low: Lowering): readonly St[] {
  const atom = low.atoms.get(step['op'] as string)!
  return [{ ...bind(step, { k: 'input', atom, fields: atomFields(step, low) }, low), cost: fixedCost(atom) }]
}

export function atomFields(step: Fields, low: Lowering): ObjectEx {
  const { rawFields = [] } = low.atoms.get(step['op'] as string)!
  return low.fields(step, ['op', 'result', 'resultConst', 'at', ...rawFields])
}

/** The units of a fixed cost. */
export function fixedCost({ cost }: AtomSpec): number {
  return typeof cost === 'number' ? Math.round(cost * UNITS_PER_FUEL) : 0
}

const compare =
  (op: string): LowerStep =>
  (step, low) => [
    { ...bind(step, { k: 'binary', op, left: low.expr(step, 'a'), right: low.expr(step, 'b') }, low), cost: STEP },
  ]

const choose =
  (op: '&&' | '||'): LowerStep =>
  (step, low) => {
    const value: Ex = {
      k: 'unary',
      op: '!',
      argument: {
        k: 'unary',
        op: '!',
        argument: { k: 'logical', op, left: low.expr(step, 'a'), right: low.expr(step, 'b') },
      },
    }
    return [{ ...bind(step, value, low), cost: STEP }]
  }

/** Lowering of each step of JSON programs. Every other op is an atom. */
export const LOWER_STEPS: readonly (readonly [string, LowerStep])[] = [
  ['seq', (step, low) => [{ ...low.block(step, 'steps'), cost: STEP }]],
  [
    'if',
    (step, low) => {
      const otherwise = Object.hasOwn(step, 'else') && step['else'] !== undefined ? low.block(step, 'else') : undefined
      return [{ k: 'if', test: low.expr(step, 'condition'), then: low.block(step, 'then'), otherwise, cost: STEP }]
    },
  ],
  [
    'while',
    (step, low) => {
      const test = low.perhaps(() => low.expr(step, 'condition'))
      const body = { ...low.scoped([], () => low.steps(step, 'body'), true), cost: STEP }
      return [{ k: 'loop', init: [], test, update: undefined, body, testsLast: false, labels: [], cost: STEP }]
    },
  ],
  ['return', lowerReturn],
  ['try', lowerTry],
  [
    'Error',
    (step, low) => [{ k: 'throw', value: low.exprs(step, 'args')[0] ?? { k: 'lit', value: 'Error' }, cost: STEP }],
  ],
  ['varSet', (step, low) => [{ ...set(low.text(step, 'key'), low.expr(step, 'value'), low), cost: STEP }]],
  [
    'constSet',
    (step, low) => {
      const value = low.expr(step, 'value')
      return [{ k: 'constset', target: low.constTarget(low.text(step, 'key')), value, cost: STEP }]
    },
  ],
  ['varGet', (step, low) => [{ ...bind(step, readPath(low.text(step, 'key'), low), low), cost: STEP }]],
  [
    'varsImport',
    (step, low) =>
      keyPairs(step, low).map(([alias, path], index) => ({
        ...set(alias, { k: 'arg', path: path.split('.') }, low),
        cost: index === 0 ? 2 * STEP : 0,
      })),
  ],
  [
    'varsLet',
    (step, low) =>
      Object.keys(step)
        .filter((key) => !['op', 'at', 'result', 'resultConst'].includes(key))
        .map((key) => ({ ...set(key, low.expr(step, key), low), cost: STEP })),
  ],
  [
    'varsExport',
    (step, low) => {
      const properties = keyPairs(step, low).map(([key, path]) => ({ key, value: readPath(path, low) }))
      return [{ ...bind(step, { k: 'object', properties }, low), cost: 2 * STEP }]
    },
  ],
  ['scope', (step, low) => [{ ...low.scoped([], () => low.steps(step, 'steps')), cost: STEP }]],
  ['eq', compare('==')],
  ['neq', compare('!=')],
  ['gt', compare('>')],
  ['lt', compare('<')],
  ['and', choose('&&')],
  ['or', choose('||')],
  [
    'not',
    (step, low) => [{ ...bind(step, { k: 'unary', op: '!', argument: low.expr(step, 'value') }, low), cost: STEP }],
  ],
  ...LOWER_LISTS,
  ['%atom', lowerInline],
]
