import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFaults } from '../../scripts/package-faults.ts'
import { programOf } from './installed.ts'
import type { Runtime } from './installed.ts'
import type { Project } from './project.ts'

/** What came of one step: nothing when it is fine, what is wrong with it, or why it could not be done here. */
export type StepResult =
  | { readonly ok: true; readonly note?: string }
  | { readonly failure: string }
  | { readonly skipped: string }

function run(program: string, args: readonly string[], cwd: string): StepResult {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', env, timeout: 900_000 })
  if (status === 0) return { ok: true, note: stdout.trim().split('\n').at(-1) ?? '' }
  return { failure: `${error?.message ?? ''}${stdout.slice(-2_000)}${stderr.slice(-4_000)}` }
}

const PRINT = `import { coreSmoke } from './core-smoke.js'
const { rooms, failures } = await coreSmoke()
if (failures.length > 0) throw new Error(failures.join('\\n'))
console.log(rooms.length + ' groups of core rooms')
`

/** Puts the programs that every runtime runs into the project. */
export function addPrograms(project: Project): void {
  project.add('test/runtimes/core-smoke.ts', 'core-smoke.js')
  project.add('test/runtimes/server-smoke.ts', 'server-smoke.js')
  project.add('test/stores/sqlite-smoke.ts', 'sqlite-smoke.js')
  project.write('core.js', PRINT)
  project.write('server.js', `import { serverSmoke } from './server-smoke.js'\nconsole.log(await serverSmoke())\n`)
  // The telemetry of those who use it brings the interface that it needs; without it, its name is told.
  const doors = project.doors.filter((door) => door !== 'mandate/otel')
  const imports = doors.map(
    (door) => `if (Object.keys(await import('${door}')).length === 0) throw new Error('${door}')`,
  )
  const missing = `const said = await import('mandate/otel').then(() => '', String)
if (!said.includes('@opentelemetry/api')) throw new Error(said)`
  project.write('doors.js', `${imports.join('\n')}\n${missing}\nconsole.log('${project.doors.length} subpaths')\n`)
  const required = doors.map((door) => `if (Object.keys(require('${door}')).length === 0) throw new Error('${door}')`)
  project.write(
    'required.cjs',
    `${required.join('\n')}
const { Agent } = require('mandate')
const { scripted } = require('mandate/model')
const agent = new Agent({ id: 'a', model: scripted(['Done.']) })
agent.run('Hi.').then(async ({ text }) => { await agent.stop(); console.log(text === 'Done.' ? 'require(esm)' : process.exit(1)) })
`,
  )
}

/** One program of the project on a runtime that is installed by name. */
export function onRuntime(
  runtime: Exclude<Runtime, 'miniflare'>,
  project: Project,
  ...args: readonly string[]
): StepResult {
  const program = programOf(runtime)
  if (program === undefined) return { skipped: `${runtime} could not be installed` }
  const flags = runtime === 'deno' ? ['run', '--allow-all', '--quiet', '--node-modules-dir=manual'] : []
  return run(program, [...flags, ...args], project.folder)
}

/** Tests beside the code, with that Node instead of the pinned one. Each group is a process of its own that takes some minutes at most. */
export function testsOn(runtime: 'node22' | 'node26', places: readonly string[]): StepResult {
  const program = programOf(runtime)
  if (program === undefined) return { skipped: `${runtime} could not be installed` }
  const root = join(import.meta.dirname, '../..')
  const paths = places.map((place) => `src/${place}`)
  const tested = run(program, ['node_modules/vitest/vitest.mjs', 'run', ...paths, '--reporter=dot'], root)
  return 'failure' in tested ? tested : { ok: true, note: places.join(' ') }
}

/** A small typed project against the declarations of the package, checked with all of them (`skipLibCheck: false`). */
export function typeChecked(
  runtime: 'typescript5' | 'typescript7',
  project: Project,
  resolution: 'nodenext' | 'bundler',
): StepResult {
  const program = programOf(runtime)
  if (program === undefined) return { skipped: `${runtime} could not be installed` }
  project.write('agent.ts', readFileSync(join(import.meta.dirname, '../package/minimal-agent.fixture.ts'), 'utf8'))
  // Every subpath, and no optional package is installed.
  const doors = project.doors.map((door, index) => `export type * as door${index} from '${door}'`)
  project.write('doors.ts', doors.join('\n'))
  const options = {
    ...{
      strict: true,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
    },
    ...(resolution === 'nodenext' ? { module: 'nodenext' } : { module: 'esnext', moduleResolution: 'bundler' }),
  }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['agent.ts', 'doors.ts'] }))
  const checked = run(process.execPath, [program, '-p', 'tsconfig.json'], project.folder)
  return 'failure' in checked ? checked : { ok: true, note: 'a small project and every subpath, strict' }
}

/** The tarball as publint and Are The Types Wrong see it, and that nothing runs when it is installed. */
export async function packageChecked(project: Project): Promise<StepResult> {
  const failures = [...(await packageFaults(project.tarball)), ...lifecycleScripts(project.folder)]
  return failures.length === 0
    ? { ok: true, note: 'publint, attw, no install scripts' }
    : { failure: failures.join('\n') }
}

/** Packages of the project that would run something when they are installed. */
function lifecycleScripts(folder: string): readonly string[] {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  return Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [`${path} has an install script`] : [],
  )
}
