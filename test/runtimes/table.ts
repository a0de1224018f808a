import { inBrowser, inWorkerd } from './bundled.ts'
import { inBundle, inNext, inViteServer } from './bundlers.ts'
import type { Project } from './project.ts'
import { onRuntime, packageChecked, testsOn, typeChecked } from './steps.ts'
import type { StepResult } from './steps.ts'

interface Step {
  readonly platform: string
  readonly what: string
  readonly needsTypes?: boolean
  readonly check: (project: Project) => StepResult | Promise<StepResult>
}

/** Where all tests beside the code are, under `src`, in groups that take some minutes each. */
export const TESTED: readonly (readonly string[])[] = [
  ['core', 'regexp', 'expr', 'journal'],
  ['store/sqlite'],
  ['redact', 'model', 'tool', 'memory', 'gate'],
  ['run'],
  ['agent', 'evals'],
  ['vm', 'graph'],
  ['repl', 'chat', 'team'],
  ['connect'],
  ['server'],
  ['engine', 'store/postgres', 'store/redis'],
  ['store/encryption', 'store/batcher', 'store/owner', 'store/retention', 'store/session-files'],
  ['otel', 'compat', 'kit', 'testing', 'cli'],
]

/** What is run on each line of Node. */
function nodeSteps(platform: 'node22' | 'node24' | 'node26'): readonly Step[] {
  const on = (what: string, ...args: readonly string[]): Step => ({
    platform,
    what,
    check: (project) => onRuntime(platform, project, ...args),
  })
  return [
    on('core rooms', 'core.js'),
    on('server handler', 'server.js'),
    on('every subpath', 'doors.js'),
    on('CommonJS', 'required.cjs'),
    on('SQLite store', '--disable-warning=ExperimentalWarning', 'sqlite-smoke.js'),
    on('the command', 'node_modules/mandate/dist/cli/main.js', '--version'),
  ]
}

/** Every platform, and what is run there. */
export const STEPS: readonly Step[] = [
  ...nodeSteps('node22'),
  ...nodeSteps('node24'),
  ...nodeSteps('node26'),
  { platform: 'bun', what: 'core rooms', check: (project) => onRuntime('bun', project, 'core.js') },
  { platform: 'bun', what: 'server handler', check: (project) => onRuntime('bun', project, 'server.js') },
  { platform: 'deno', what: 'core rooms', check: (project) => onRuntime('deno', project, 'core.js') },
  { platform: 'deno', what: 'server handler', check: (project) => onRuntime('deno', project, 'server.js') },
  { platform: 'workerd', what: 'core rooms, server handler', check: inWorkerd },
  { platform: 'chromium', what: 'core rooms', check: inBrowser },
  ...(['turbopack', 'webpack'] as const).map((bundler): Step => ({
    platform: 'next',
    what: bundler,
    needsTypes: true,
    check: (project) => inNext(project, bundler),
  })),
  { platform: 'vite', what: 'server (SSR) and page', check: inViteServer },
  { platform: 'vite', what: 'a bundled program', check: (project) => inBundle(project, 'vite') },
  { platform: 'esbuild', what: 'ES modules', check: (project) => inBundle(project, 'esbuild, esm') },
  { platform: 'esbuild', what: 'CommonJS', check: (project) => inBundle(project, 'esbuild, cjs') },
  { platform: 'bun build', what: 'a bundled program', check: (project) => inBundle(project, 'bun') },
  ...(['node22', 'node26'] as const).flatMap((runtime) =>
    TESTED.map((rooms): Step => ({
      platform: runtime.replace('node', 'tests'),
      what: rooms[0]!,
      check: () => testsOn(runtime, rooms),
    })),
  ),
  { platform: 'package', what: 'tarball', needsTypes: true, check: packageChecked },
  ...(['typescript5', 'typescript7'] as const).flatMap((platform) =>
    (['nodenext', 'bundler'] as const).map((resolution): Step => ({
      platform,
      what: `tsc, ${resolution}`,
      needsTypes: true,
      check: (project) => typeChecked(platform, project, resolution),
    })),
  ),
]
