/** The functions of a test framework that the suites use. Those of vitest and jest fit, and those of node:test with an `expect`. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  readonly expect: (value: unknown) => Expectation
}

export interface Expectation {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
}
