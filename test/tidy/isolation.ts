import type { SourceFile } from './sources.ts'

const REPLACES = /\bvi\.(?:mock|doMock|unmock|doUnmock|resetModules)\(/
const HOOKS = /^(?:beforeEach|beforeAll|afterEach|afterAll)\(/m

/** Loaded before every file of tests, so its hook is set for each. */
const SET_UP = 'test/leftover-loops.ts'

/** What the tests that share a process must not do: replace modules, unless `vitest.config.ts` gives the file a process of its own, and set
 *  hooks in a module that is loaded once for many files. */
export function checkIsolation(files: readonly SourceFile[], config: string): string[] {
  return files.flatMap(({ path, text }) => {
    if (!path.endsWith('.test.ts'))
      return HOOKS.test(text) && path !== SET_UP
        ? [`${path}: a hook at the top runs for one file of tests only; set it in a function`]
        : []
    // Sweeps have a process each.
    const isAlone = path.endsWith('.sweep.test.ts') || config.includes(`'${path}'`)
    return REPLACES.test(text) && !isAlone
      ? [`${path} replaces modules: name it in vitest.config.ts, so that it runs in a process of its own`]
      : []
  })
}
