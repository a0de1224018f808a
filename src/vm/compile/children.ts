import type { Ex, St } from './ir.ts'

/** Fields of nodes that hold no nodes of the program. */
const NOT_NODES = new Set([
  'at',
  'json',
  'atom',
  'ref',
  'variable',
  'info',
  'entry',
  'fresh',
  'labels',
  'names',
  'once',
  'self',
  'parts',
  'path',
])

function gather(value: unknown, into: (Ex | St)[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) gather(item, into)
  } else if (typeof (value as { k?: unknown }).k === 'string') into.push(value as Ex | St)
  // Properties, parameters and cases are no nodes themselves, but hold some.
  else for (const key in value) gather((value as Record<string, unknown>)[key], into)
}

/** The nodes directly inside a node, in the order of the source. */
export function children(node: Ex | St): (Ex | St)[] {
  const found: (Ex | St)[] = []
  if (node.k === 'lit' || node.k === 'var' || node.k === 'temp') return found
  for (const key in node) {
    const value = (node as unknown as Record<string, unknown>)[key]
    if (typeof value === 'object' && !NOT_NODES.has(key)) gather(value, found)
  }
  return found
}
