import { graphReviews } from '../../graph/index.ts'
import { kernelOf } from '../../run/index.ts'
import { cellMind } from './cell-mind.ts'
import type { CellMind, CellMindOptions } from './cell-mind.ts'

const minds = new WeakMap<object, Map<string, CellMind>>()

/**
 * Makes cells of a name known to a service, so that their runs can be resumed, and called by others: a node `repl_agent` of a graph, or a cell. With
 * `script`, a call evaluates that cell over the input as `context`. What is given replaces what was registered under the name.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { registerCells } from 'mandate/repl'
 * const service = new AgentService()
 * registerCells(service, 'average', { script: 'context.values.reduce((a, b) => a + b, 0) / context.values.length' })
 * ```
 */
export function registerCells(service: object, name: string, options: CellMindOptions = {}): string {
  return cellsOf(service, name, options).name
}

/** The mind behind cells of a name; without options, the one that is registered. */
export function cellsOf(service: object, name: string, options: CellMindOptions = {}): CellMind {
  const { registry, journal } = kernelOf(service)
  const known = minds.get(registry) ?? new Map<string, CellMind>()
  minds.set(registry, known)
  const before = known.get(name)
  const isGiven = Object.values(options).some((value) => value !== undefined)
  if (before !== undefined && !isGiven) return before
  // Reviews that cells wait for need their mind.
  graphReviews(service)
  const mind = cellMind(name, { registry, journal, service, before }, options)
  registry.registerMind(mind, { override: before !== undefined })
  known.set(name, mind)
  return mind
}
