import { resolve } from 'node:path'
import type { ViteUserConfigExport } from 'vitest/config'
import { markFailures } from './test/failure-mark.ts'
import { changeOf } from './test/source-changes.ts'

/** Long sweeps: many child processes or many seeds. `npm run test:sweeps` runs a rotating tenth of them, `npm run test:full`
 *  all. They run last, so that they do not starve the short suites on two cores. */
const sweeps = ['{src,test}/**/*.sweep.test.ts']

/** Sweeps that kill at every system call, or compare times: one file at a time. */
const alone = ['test/{crash,faults,limits,simulation}/**/*.test.ts']

/** They replace modules or load them anew, which the files that run after them in the same process would see. */
const replacing = ['test/connect/shell-isolation.test.ts', 'test/flow/interference.test.ts']

/** For files that Vite loads; the others have `test/source-hooks.ts`. */
const changedSources = {
  name: 'changed-sources',
  enforce: 'pre' as const,
  transform: (code: string, id: string): string | undefined => changeOf(id)?.(code),
}

/** What is waited for comes; how soon, depends on what else the machine does. */
const timeouts = { testTimeout: 20_000, hookTimeout: 20_000, expect: { poll: { timeout: 15_000 } } }

const config: ViteUserConfigExport = ({ mode }) => {
  const isFull = mode === 'full' || process.env['MANDATE_FULL'] === '1'
  const env = {
    NODE_ENV: 'test',
    MANDATE_FULL: isFull ? '1' : '0',
    MANDATE_SWEEP: '0',
    // Hundreds of tests start a process of their own from the sources, most of which would be spent on stripping types.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? resolve('.cache/compile'),
    // Chosen once here, so that every worker agrees even when the day changes during the run.
    MANDATE_ROTATION: process.env['MANDATE_ROTATION'] ?? String(Math.floor(Date.now() / 86_400_000) % 10),
  }
  // Not `module`, whose files are for bundlers: Node is given these as well, and could not load some of them. Not `import`, which Vite adds where it belongs: Node is given these as well, and packages that require each other would get the wrong halves.
  const conditions = ['mandate-source', 'node', 'default']
  const shared = {
    plugins: [changedSources],
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: conditions } },
  }
  const common = {
    env,
    ...timeouts,
    execArgv: ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning'],
  }
  // Loading the sources takes longer than most files of tests: one process runs many of them and loads the sources once.
  // So a file leaves the process as it found it; what a module keeps, and hooks that it sets at its top, are there for the first file alone.
  // Node loads them itself: Vite turns each use of an imported name into a look-up, which makes code that computes a fifth slower, and has to
  // transform every source after a change. Vite is left for the files that replace modules, and for a Node that does not know `using`.
  const isModern = Number.parseInt(process.versions.node, 10) >= 24
  const together = {
    ...common,
    isolate: false,
    maxWorkers: 2,
    ...(isModern ? { experimental: { viteModuleRunner: false, nodeLoader: false } } : {}),
    setupFiles: [...(isModern ? ['test/source-hooks.ts'] : []), 'test/leftover-loops.ts'],
  }
  const short = [
    {
      ...shared,
      test: {
        ...together,
        name: 'short',
        include: ['{src,test,examples}/**/*.test.ts'],
        exclude: [...sweeps, ...alone, ...replacing],
        sequence: { groupOrder: 0 },
        testTimeout: 60_000,
      },
    },
    {
      ...shared,
      test: {
        ...common,
        isolate: true,
        maxWorkers: 2,
        setupFiles: ['test/leftover-loops.ts'],
        name: 'replacing',
        include: replacing,
        sequence: { groupOrder: 0 },
        testTimeout: 60_000,
      },
    },
  ]
  const long = {
    ...common,
    env: { ...env, MANDATE_SWEEP: '1' },
    testTimeout: isFull ? 600_000 : 120_000,
    hookTimeout: 60_000,
  }
  const sweep = [
    {
      ...shared,
      test: { ...long, name: 'sweeps', include: sweeps, exclude: alone, sequence: { groupOrder: 2 }, maxWorkers: 2 },
    },
    {
      ...shared,
      test: { ...long, name: 'alone', include: alone, sequence: { groupOrder: 3 }, fileParallelism: false },
    },
  ]
  const chaos = {
    ...shared,
    test: {
      ...common,
      name: 'chaos',
      include: ['test/chaos/*.chaos.ts'],
      fileParallelism: false,
      testTimeout: 1_000_000,
      hookTimeout: 60_000,
    },
  }
  if (mode === 'chaos') return { test: { globalSetup: ['test/servers/setup.ts'], projects: [chaos] } }
  return {
    test: {
      passWithNoTests: true,
      globalSetup: ['test/servers/setup.ts', 'test/built-setup.ts'],
      slowTestThreshold: 2_000,
      reporters: isFull || process.env['CI'] ? ['default', markFailures('.cache/failed-tests.txt')] : ['default'],
      projects: [...(mode === 'sweeps' ? [] : short), ...(mode === 'sweeps' || isFull ? sweep : [])],
    },
  }
}

export default config
