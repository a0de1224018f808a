import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin, ViteUserConfigExport } from 'vitest/config'
import type { Reporter, TestModule } from 'vitest/node'
import config from '../../vitest.config.ts'
import { concerns, mutationsOf, switched } from './chosen.ts'
import { LISTED_ENV, MUTATION_ENV, REPORT_ENV } from './mutation.ts'
import type { Mutation } from './mutation.ts'
import type { ModuleReport } from './trial.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const note = (line: ModuleReport): void => appendFileSync(process.env[REPORT_ENV]!, `${JSON.stringify(line)}\n`)

/** Changes the one file of a row. */
function switchOff(row: Mutation): Plugin {
  return {
    name: 'switched-off',
    // Before types are removed: mutations name pieces of the source as it is written.
    enforce: 'pre',
    transform(code, id) {
      const changed = switched(row, id, code)
      // Shows that the source really was loaded without its guard.
      if (changed !== undefined) note({ id: row.id, applied: true })
      return changed ?? null
    },
    // Vitest keeps transformed modules on disk: the mutated one must neither be kept for others nor be taken from them.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => (concerns(row, id) ? false : undefined))
    },
  }
}

/** Writes down what each file came to as soon as it is over, so that one that hangs takes no other with it. */
const reporter: Reporter = {
  onTestModuleEnd(module: TestModule) {
    const cases = [...module.children.allTests()]
    const failed = cases.filter((one) => one.result().state === 'failed')
    note({
      id: module.project.name,
      failed: failed.map(({ fullName }) => fullName),
      passed: cases.filter((one) => one.result().state === 'passed').length,
      messages: failed.flatMap((one) => (one.result().errors ?? []).map(({ name, message }) => `${name}: ${message}`)),
      unread: module.errors().map(({ message }) => message),
    })
  },
}

/** One project for each row, which runs its tests with its guard, limit or check switched off. */
const switchedConfig: ViteUserConfigExport = async (env) => {
  const whole = await (typeof config === 'function' ? config(env) : config)
  const [, model] = whole.test?.projects ?? []
  if (typeof model !== 'object' || !('test' in model)) throw new Error('The projects of vitest.config.ts have changed.')
  const rows = mutationsOf((process.env[LISTED_ENV] ?? '').split(','))
  const projects = rows.map((row) => ({
    ...model,
    plugins: [switchOff(row)],
    test: {
      ...model.test,
      name: row.id,
      include: [...row.tests],
      exclude: [],
      setupFiles: [here('filter.ts')],
      // Processes that tests start inherit the options; the worker itself has begun before it gets them.
      env: { ...model.test?.env, [MUTATION_ENV]: row.id, NODE_OPTIONS: `--import=${here('hook.ts')}` },
      execArgv: [...(model.test?.execArgv ?? []), `--import=${here('hook.ts')}`],
      testTimeout: 20_000,
    },
  }))
  return { ...whole, test: { ...whole.test, reporters: [reporter], projects } }
}

export default switchedConfig
