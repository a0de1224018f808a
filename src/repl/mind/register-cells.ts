import { graphReviews } from '../../graph/index.ts'
import { kernelOf } from '../../run/index.ts'
import { cellMind } from './cell-mind.ts'
import type { CellMind, CellMindOptions } from './cell-mind.ts'

const minds = new WeakMap<object, Map<string, CellMind>>()

/** Makes sessions of cells under a name known to a service, so that their runs can be resumed and called by others. What is given replaces what was. */
export function registerCells(host: object, name: string, options: CellMindOptions = {}): CellMind {
  const { registry, journal } = kernelOf(host)
  const known = minds.get(registry) ?? new Map<string, CellMind>()
  minds.set(registry, known)
  const before = known.get(name)
  const isGiven = Object.values(options).some((value) => value !== undefined)
  if (before !== undefined && !isGiven) return before
  // Reviews that cells wait for need their mind.
  graphReviews(host)
  const mind = cellMind(name, { registry, journal, service: host }, options)
  registry.registerMind(mind, { override: before !== undefined })
  known.set(name, mind)
  return mind
}
