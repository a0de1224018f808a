import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import {
  checkFields,
  checkNumbers,
  MandateError,
  messageOf,
  systemClock,
  unknownField,
  checkNeeded,
} from '../../core/index.ts'
import type { Clock, FieldNames, JsonObject } from '../../core/index.ts'
import { type Tool, defineTool } from '../../tool/index.ts'
import { isChecked } from '../checks.ts'
import { partsOf } from '../files/names.ts'
import { Workspace } from '../files/workspace.ts'
import { runChild } from './child.ts'
import { closedPaths } from './closed-paths.ts'
import { grantFor, readGrants } from './command.ts'
import type { Grant } from './command.ts'
import { inspect } from './inspection.ts'
import { isSystemFolder, isolationHere, wrapped } from './isolation.ts'
import type { Bounds, Isolation } from './isolation.ts'

export interface ShellOptions {
  /** The working folder of programs: the only writable one, which their arguments may not leave. */
  readonly root: string
  /** The allowed commands: `ls`, or `git log` for a program with its first words. */
  readonly allow: readonly string[]
  /** Also allows programs that run others (shells, interpreters, `make`) by their bare name. */
  readonly launchers?: boolean | undefined
  /** Where programs are looked up; the system's folders by default. */
  readonly path?: readonly string[] | undefined
  /**
   * `required` (default): programs run isolated by bubblewrap, and if that is not available the tool is not created. `none`: they run with all the
   * rights of this process; the tool's description and every result say so.
   */
  readonly isolation?: 'required' | 'none' | undefined
  /** Programs may use the machine's network, including services on this machine. Off by default. */
  readonly network?: boolean | undefined
  /** Further readable folders for isolated programs, as absolute paths: a toolchain outside of `/usr`. */
  readonly readable?: readonly string[] | undefined
  /**
   * Files and folders of the workspace that isolated programs cannot read, as in `fileTools`: `.env`, `*.pem`, `keys`. Copies of
   * them in the history of a repository are not covered.
   */
  readonly deny?: readonly string[] | undefined
  /** 30 seconds by default. */
  readonly timeoutMs?: number | undefined
  /** Limit of output; 100,000 by default. */
  readonly maxBytes?: number | undefined
  readonly bounds?: Partial<Bounds> | undefined
  readonly clock?: Clock | undefined
}

const SHELL_OPTIONS: FieldNames<ShellOptions> = {
  root: 'text',
  allow: 'texts',
  launchers: 'flag',
  path: 'texts',
  isolation: true,
  network: 'flag',
  readable: 'texts',
  deny: 'texts',
  timeoutMs: true,
  maxBytes: true,
  bounds: 'object',
  clock: 'clock',
}

const PATH = ['/usr/local/bin', '/usr/bin', '/bin']
const BOUNDS: Bounds = { processes: 64, memoryBytes: 2 ** 31, fileBytes: 100_000_000, cpuSeconds: 60 }

/**
 * Creates the tool `run_command`: a program and its arguments, never a shell command line. It runs isolated (bubblewrap): in the workspace, with a
 * read-only system, without network, home, input and environment, and all its processes end with it. Arguments that run other programs, or leave the
 * workspace, are refused before.
 *
 * @example
 * ```ts
 * import { shellIsolation, shellTool } from 'mandate/connect'
 * if (shellIsolation().isolation === 'bubblewrap') shellTool({ root: '.', allow: ['ls', 'cat', 'git log', 'git diff'], path: ['/usr/bin', '/bin'] })
 * ```
 */
export function shellTool(options: ShellOptions): Tool {
  checkNeeded(options, 'an option of `shellTool`', SHELL_OPTIONS)
  checkNumbers(options, 'an option of `shellTool`', { timeoutMs: 'amount+', maxBytes: 'count+' })
  checkFields(options.bounds, 'one of `bounds` of `shellTool`', { ...BOUNDS })
  checkNumbers(options.bounds, 'one of `bounds` of `shellTool`', {
    ...{ processes: 'count+', memoryBytes: 'count+', fileBytes: 'count+', cpuSeconds: 'count+' },
  })
  const { timeoutMs = 30_000, maxBytes = 100_000, clock = systemClock, network = false, readable = [] } = options
  const path = options.path ?? PATH
  const root = rootOf(options.root)
  const isolation = isolationFor(options.isolation)
  checkReadable(readable)
  const deny = options.deny ?? []
  if (deny.length > 0 && isolation === 'none')
    throw new MandateError(
      'CONFIG_INVALID',
      '`deny` of `shellTool` needs isolation: without it nothing keeps a program from a file. Remove `deny`, or `isolation: "none"`.',
    )
  const workspace = new Workspace(root)
  const grants = readGrants(options.allow, path, options.launchers === true)
  const bounds = { ...BOUNDS, ...options.bounds }
  const env = environment(path, root, isolation)
  return defineTool({
    name: 'run_command',
    description: descriptionOf(grants, isolation),
    inputSchema: INPUT,
    risk: 'exec',
    safeByDefault: false,
    timeoutMs: timeoutMs + 2_000,
    labels: ['untrusted:shell'],
    async run({ argv, cwd: folder = '' }: { argv: readonly string[]; cwd?: string }, { signal }) {
      const grant = grantFor(argv, grants)
      const cwd = await folderOf(workspace, root, folder)
      const [name = '', ...args] = argv
      const { first, isLauncher } = grant
      inspect({ name, args, granted: first.length, isLauncher, root, cwd, network, strict: isolation === 'none' })
      const closed = isChecked('shell.deny-list') ? await closedPaths(root, deny, signal) : []
      const sandbox = { root, cwd, env, bounds, isolation, network, readable, closed }
      const command = wrapped([grant.file, ...args], sandbox)
      const finished = await runChild(command, { cwd, env, timeoutMs, maxBytes, signal, clock }).catch(
        (error: unknown) => {
          throw new MandateError('TOOL_FAILED', `"${grant.name}" could not be started: ${messageOf(error)}`)
        },
      )
      return resultOf(grant, isolation, finished, { timeoutMs, maxBytes })
    },
  })
}

function descriptionOf(grants: readonly Grant[], isolation: Isolation): string {
  const allowed = grants.map((grant) => [grant.name, ...grant.first].join(' ')).join(', ')
  // The description is journaled at the start of a run, so that this is on record before the first command.
  const warning = isolation === 'none' ? ' Programs run without isolation (isolation: none).' : ''
  return `Runs a program. Allowed: ${allowed}.${warning}`
}

/** Settings by which a repository in the workspace would make git run programs. */
const GIT_OFF: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.sshCommand', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.ext.allow', 'never'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['safe.bareRepository', 'explicit'],
]

function environment(path: readonly string[], root: string, isolation: Isolation): { readonly [name: string]: string } {
  const env = { PATH: path.join(':'), HOME: root, LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb' }
  if (isolation === 'bubblewrap') return env
  const settings = GIT_OFF.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    ...env,
    // A home in the workspace could contain files that decide which programs run.
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(GIT_OFF.length),
    ...Object.fromEntries(settings),
  }
}

const INPUT = {
  type: 'object',
  properties: {
    argv: {
      type: 'array',
      items: { type: 'string', maxLength: 4096 },
      minItems: 1,
      maxItems: 256,
      description: 'The program and its arguments, one each. No shell reads them.',
    },
    cwd: { type: 'string', maxLength: 4096, description: 'A folder of the workspace; its top when absent.' },
  },
  required: ['argv'],
  additionalProperties: false,
} as const

function rootOf(root: string): string {
  let real: string
  try {
    real = realpathSync(root)
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `The workspace ${root} cannot be entered. Create it first.`, { cause })
  }
  if (!isSystemFolder(real)) return real
  throw new MandateError(
    'CONFIG_INVALID',
    `${real} holds the system, so it cannot be a workspace. Give a folder of its own.`,
  )
}

function isolationFor(wanted: ShellOptions['isolation'] = 'required'): Isolation {
  if (wanted === 'none') return 'none'
  if (wanted !== 'required')
    throw new MandateError('CONFIG_INVALID', unknownField(String(wanted), 'an isolation', ['required', 'none']))
  const { isolation, missing } = isolationHere()
  if (isolation === 'bubblewrap' || !isChecked('shell.isolation')) return isolation
  throw new MandateError(
    'CONFIG_INVALID',
    `Commands are isolated or not run, and here ${missing[0]}. Or set \`isolation: 'none'\`: programs then have all the rights of this process.`,
  )
}

function checkReadable(readable: readonly string[]): void {
  const relative = readable.find((path) => !isAbsolute(path))
  if (relative === undefined) return
  throw new MandateError('CONFIG_INVALID', `\`readable\` has "${relative}". Give absolute paths.`)
}

async function folderOf(workspace: Workspace, root: string, cwd: string): Promise<string> {
  const parts = partsOf(cwd)
  const folder = await workspace.folder(parts)
  await folder.close()
  return [root, ...parts].join('/')
}

function resultOf(
  { name }: Grant,
  isolation: Isolation,
  { code, stdout, stderr, stopped, cut }: Awaited<ReturnType<typeof runChild>>,
  { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
): JsonObject {
  const why = {
    timeout: `it took longer than ${timeoutMs} ms`,
    output: `it wrote more than ${maxBytes} bytes`,
    cancelled: 'it was cancelled',
  }
  return {
    exitCode: code,
    stdout,
    stderr,
    isolation,
    ...(cut === undefined ? {} : { cut: { bytes: cut.bytes, sha256: cut.sha256 } }),
    ...(stopped === undefined ? {} : { stopped: `${name} was ended: ${why[stopped]}.` }),
  }
}
