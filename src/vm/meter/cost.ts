/** The version of the cost table, pinned by runs. It changes when a figure below, or where it is charged, changes. */
export const COST_TABLE = 'vm-4'

/**
 * All versions of the cost table, oldest first, with what each charged for the first time; runs of earlier releases pin one of them. Their figures are those
 * below. What a table charged where is not kept: the recorded part of a run of an earlier one is executed again without a limit of fuel (`FuelPool.isFree`).
 */
export const COST_TABLES: ReadonlyMap<string, string> = new Map([
  ['vm-1', 'expressions, steps, calls, allocations, waits and requests'],
  ['vm-2', 'the steps of regular expressions'],
  ['vm-3', 'the search of texts, long keys, sorting, and counts of the heap'],
  [COST_TABLE, 'errors that the language throws'],
])

/** Units of fuel. A node of an expression is 0.01 fuel, a step of a program 0.1. */
export const COST = {
  node: 100,
  step: 1_000,
  call: 200,
  allocate: 200,
  await: 1_000,
  request: 2_000,
} as const
