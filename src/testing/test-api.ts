/** The functions of a test framework that the suites use; those of vitest, jest and node:test with an `expect` fit. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  readonly expect: (value: unknown) => Expectation
}

export interface Expectation {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
}
