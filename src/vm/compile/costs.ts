import { COST } from '../meter/cost.ts'
import { children } from './children.ts'
import type { Ex } from './ir.ts'
import type { Block, St } from './ir-statements.ts'

const EXTRA: Partial<Record<Ex['k'], number>> = {
  call: COST.call,
  method: COST.call,
  new: COST.call,
  list: COST.allocate,
  object: COST.allocate,
  data: COST.allocate,
  fn: COST.allocate,
  await: COST.await,
  yield: COST.call,
}

/** Units of the part of an expression that always runs; branches are charged when they are taken. */
export function exprCost(node: Ex | undefined): number {
  if (node === undefined) return 0
  if (node.k === 'decide') return exprCost(node.test)
  if (node.k === 'part') return exprCost(node.value)
  if (node.k === 'iterated') return exprCost(node.items)
  const own = COST.node + (EXTRA[node.k] ?? 0)
  if (node.k === 'conditional') return own + exprCost(node.test)
  if (node.k === 'logical') return own + exprCost(node.left)
  // A hoisted method lookup is charged with its call.
  if (node.k === 'fn' || node.k === 'temp' || node.k === 'found') return node.k === 'fn' ? own : 0
  let cost = own
  const inside = children(node)
  for (let i = 0; i < inside.length; i++) cost += exprCost(inside[i] as Ex)
  return cost
}

/** Units of the part of a statement that always runs: bodies of loops, branches and handlers are charged when entered. */
export function stepCost(st: St): number {
  const own = st.cost ?? 0
  switch (st.k) {
    case 'block':
      return blockCost(st)
    case 'if':
      return own + exprCost(st.test)
    case 'loop':
      return own + st.init.reduce((sum, one) => sum + stepCost(one), 0)
    case 'forof':
      return own + exprCost(st.items)
    case 'switch':
      return own + exprCost(st.value)
    case 'try':
    case 'exit':
    case 'mark':
      return own
    case 'labeled':
      return own + stepCost(st.body)
    case 'function':
      return own + COST.node + COST.allocate
    case 'callto':
      return own + exprCost(st.call)
    case 'request':
      return own + exprCost(st.fields) + COST.request
    case 'yieldto':
      return own + COST.call + exprCost(st.value)
    case 'awaitto':
      return own + COST.await + exprCost(st.value)
    default:
      return own + exprCost(st.value)
  }
}

export function blockCost(block: Block): number {
  let cost = block.cost ?? 0
  for (const one of block.body) cost += stepCost(one)
  return cost
}
