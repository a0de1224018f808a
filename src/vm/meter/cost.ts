/** The version of the cost table, pinned by runs. It changes when a figure below, or where it is charged, changes. */
export const COST_TABLE = 'vm-4'

/** Units of fuel. A node of an expression is 0.01 fuel, a step of a program 0.1. */
export const COST = {
  node: 100,
  step: 1_000,
  call: 200,
  allocate: 200,
  await: 1_000,
  request: 2_000,
} as const
