import { resolve } from 'node:path'
import type { ViteUserConfigExport } from 'vitest/config'
import { markFailures } from './test/failure-mark.ts'

/** Long sweeps: many child processes or many seeds. `npm run test:sweeps` runs a rotating tenth of them, `npm run test:full`
 *  all. They run last and one file at a time, so that they neither starve the short suites nor each other on two cores. */
const sweeps = ['{src,test}/**/*.sweep.test.ts', 'test/{crash,faults,limits,simulation}/**/*.test.ts']

const timeouts = { testTimeout: 20_000, hookTimeout: 20_000 }

const config: ViteUserConfigExport = ({ mode }) => {
  const isFull = mode === 'full' || process.env['MANDATE_FULL'] === '1'
  const env = {
    NODE_ENV: 'test',
    MANDATE_FULL: isFull ? '1' : '0',
    // Hundreds of tests start a process of their own from the sources, most of which would be spent on stripping types.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? resolve('.cache/compile'),
    // Chosen once here, so that every worker agrees even when the day changes during the run.
    MANDATE_ROTATION: process.env['MANDATE_ROTATION'] ?? String(Math.floor(Date.now() / 86_400_000) % 10),
  }
  // Not `import`, which Vite adds where it belongs: Node is given these as well, and packages that require each other would get the wrong halves.
  const conditions = ['mandate-source', 'module', 'node', 'default']
  const shared = {
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: conditions } },
  }
  const common = {
    env,
    ...timeouts,
    execArgv: ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning'],
  }
  const short = [
    {
      ...shared,
      test: {
        ...common,
        name: 'rooms',
        include: ['src/**/*.test.ts'],
        exclude: sweeps,
        sequence: { groupOrder: 0 },
        maxWorkers: 2,
      },
    },
    {
      ...shared,
      test: {
        ...common,
        name: 'whole',
        include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
        exclude: sweeps,
        sequence: { groupOrder: 1 },
        maxWorkers: 2,
        testTimeout: 60_000,
      },
    },
  ]
  const sweep = {
    ...shared,
    test: {
      ...common,
      name: 'sweeps',
      include: sweeps,
      sequence: { groupOrder: 2 },
      fileParallelism: false,
      testTimeout: isFull ? 600_000 : 120_000,
      hookTimeout: 60_000,
    },
  }
  return {
    test: {
      passWithNoTests: true,
      globalSetup: ['test/servers/setup.ts'],
      slowTestThreshold: 2_000,
      reporters: isFull ? ['default', markFailures('.cache/failed-tests.txt')] : ['default'],
      projects: [...(mode === 'sweeps' ? [] : short), ...(mode === 'sweeps' || isFull ? [sweep] : [])],
    },
  }
}

export default config
