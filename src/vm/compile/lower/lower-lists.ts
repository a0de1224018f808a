import { UNITS_PER_FUEL } from '../../meter/live.ts'
import type { Ex, Var } from '../ir.ts'
import type { Block, St } from '../ir-statements.ts'
import type { Fields, LowerStep } from '../language.ts'
import type { Lowering } from './lowering.ts'

const variable = (name: string): Var => ({ k: 'var', name })
const assign = (name: string, value: Ex): St => ({
  k: 'expr',
  value: { k: 'assign', op: '', target: variable(name), value },
})
const orNothing = (left: Ex, right: Ex): Ex => ({ k: 'logical', op: '??', left, right })

interface Gathering {
  readonly hidden: string
  readonly start: Ex
  readonly body: Block
}

/** Lowers a list step: a loop over the items, then the assignment of its result. */
function each(step: Fields, low: Lowering, { hidden, start, body }: Gathering): St[] {
  const items = low.expr(step, 'items')
  const name = low.name(low.text(step, 'as'))
  const loop: St = { k: 'forof', name, kind: 'let', items, ofKeys: false, body, labels: [] }
  const result = Object.hasOwn(step, 'result') && step['result'] !== undefined ? low.text(step, 'result') : undefined
  const block: St[] = [assign(hidden, start), loop]
  if (result !== undefined) {
    const value = variable(hidden)
    const isConst = low.flag(step, 'resultConst')
    const target = isConst ? low.constTarget(result) : low.target(result)
    block.push(
      isConst ? { k: 'constset', target, value } : { k: 'expr', value: { k: 'assign', op: '', target, value } },
    )
  }
  return [{ k: 'block', body: block, names: [hidden], cost: UNITS_PER_FUEL }]
}

const map: LowerStep = (step, low) => {
  const hidden = low.hiddenName()
  const body = low.scoped(['result', low.name(low.text(step, 'as'))], () => [
    ...low.steps(step, 'steps'),
    { k: 'append', list: variable(hidden), value: orNothing(variable('result'), { k: 'lit', value: null }) },
  ])
  return each(step, low, {
    hidden,
    start: { k: 'list', items: [] },
    body: withoutItem(body, low.name(low.text(step, 'as'))),
  })
}

const filter: LowerStep = (step, low) => {
  const hidden = low.hiddenName()
  const as = low.name(low.text(step, 'as'))
  const keep: Block = { k: 'block', body: [{ k: 'append', list: variable(hidden), value: variable(as) }] }
  const body: Block = {
    k: 'block',
    body: [{ k: 'if', test: low.perhaps(() => low.expr(step, 'condition')), then: keep, otherwise: undefined }],
  }
  return each(step, low, { hidden, start: { k: 'list', items: [] }, body })
}

const find: LowerStep = (step, low) => {
  const hidden = low.hiddenName()
  const as = low.name(low.text(step, 'as'))
  const found: Block = {
    k: 'block',
    body: [assign(hidden, variable(as)), { k: 'exit', kind: 'break', label: undefined }],
  }
  const body: Block = {
    k: 'block',
    body: [{ k: 'if', test: low.perhaps(() => low.expr(step, 'condition')), then: found, otherwise: undefined }],
  }
  return each(step, low, { hidden, start: { k: 'lit', value: null }, body })
}

const reduce: LowerStep = (step, low) => {
  const hidden = low.hiddenName()
  const accumulator = low.text(step, 'accumulator')
  const as = low.name(low.text(step, 'as'))
  const body = low.scoped(['result', accumulator, as], () => [
    assign(accumulator, variable(hidden)),
    ...low.steps(step, 'steps'),
    assign(hidden, orNothing(variable('result'), variable(accumulator))),
  ])
  return each(step, low, { hidden, start: low.expr(step, 'initial'), body: withoutItem(body, as) })
}

/** The item is declared by the loop itself. */
function withoutItem(body: Block, as: string): Block {
  return { ...body, names: body.names?.filter((name) => name !== as) }
}

/** Lowering of list steps. */
export const LOWER_LISTS: readonly (readonly [string, LowerStep])[] = [
  ['map', map],
  ['filter', filter],
  ['find', find],
  ['reduce', reduce],
]
