import { realpathSync } from 'node:fs'
import { MandateError, messageOf, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import { type Tool, defineTool } from '../../tool/index.ts'
import { partsOf } from '../files/names.ts'
import { Workspace } from '../files/workspace.ts'
import { runChild } from './child.ts'
import { grantFor, readGrants } from './command.ts'
import type { Grant } from './command.ts'
import { isolationHere, wrapped } from './isolation.ts'
import type { Bounds, Isolation } from './isolation.ts'

export interface ShellOptions {
  /** The folder in which programs run, and outside of which their arguments may not point. */
  readonly root: string
  /** What may be run: `ls`, or `git log` for a program with its first words. Nothing else is. */
  readonly allow: readonly string[]
  /** Also allow programs that run others (shells, interpreters, `find`) by their bare name. */
  readonly launchers?: boolean | undefined
  /** Where programs are looked for; the system's own folders when absent. */
  readonly path?: readonly string[] | undefined
  /** Refuse to run anything where namespaces cannot be had. */
  readonly isolation?: 'required' | 'best' | undefined
  /** 30 seconds when absent. */
  readonly timeoutMs?: number | undefined
  /** Of output; 100,000 when absent. */
  readonly maxBytes?: number | undefined
  readonly bounds?: Partial<Bounds> | undefined
  readonly clock?: Clock | undefined
}

const PATH = ['/usr/local/bin', '/usr/bin', '/bin']
const BOUNDS: Bounds = { processes: 64, memoryBytes: 2 ** 31, fileBytes: 100_000_000, cpuSeconds: 60 }

/**
 * The tool `run_command`: a program and its arguments, never a line for a shell. It runs in the workspace with a clean environment, no input, and in
 * namespaces of its own where bubblewrap can make them; the result says which isolation was in force.
 *
 * @example
 * ```ts
 * import { shellTool } from 'mandate/connect'
 * const tool = shellTool({ root: '.', allow: ['ls', 'cat', 'git log', 'git diff'], path: ['/usr/bin', '/bin'] })
 * ```
 */
export function shellTool(options: ShellOptions): Tool {
  const { timeoutMs = 30_000, maxBytes = 100_000, clock = systemClock } = options
  const root = rootOf(options.root)
  const workspace = new Workspace(root)
  const grants = readGrants(options.allow, options.path ?? PATH, options.launchers === true)
  const bounds = { ...BOUNDS, ...options.bounds }
  return defineTool({
    name: 'run_command',
    description: `Runs a program. Allowed: ${grants.map((grant) => [grant.name, ...grant.first].join(' ')).join(', ')}.`,
    inputSchema: INPUT,
    risk: 'exec',
    safeByDefault: false,
    timeoutMs: timeoutMs + 2_000,
    labels: ['untrusted:shell'],
    async run({ argv, cwd = '' }: { argv: readonly string[]; cwd?: string }, { signal }) {
      const grant = grantFor(argv, grants, root)
      const isolated = isolationFor(options.isolation)
      const place = await folderOf(workspace, root, cwd)
      const env = { PATH: (options.path ?? PATH).join(':'), HOME: root, LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb' }
      const command = wrapped([grant.file, ...argv.slice(1)], { root, cwd: place, env, bounds, isolated })
      const finished = await runChild(command, { cwd: place, env, timeoutMs, maxBytes, signal, clock }).catch(
        (error: unknown) => {
          throw new MandateError('TOOL_FAILED', `"${grant.name}" could not be started: ${messageOf(error)}`)
        },
      )
      return resultOf(grant, isolated, finished, { timeoutMs, maxBytes })
    },
  })
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
  try {
    return realpathSync(root)
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `The workspace ${root} cannot be entered. Create it first.`, { cause })
  }
}

function isolationFor(wanted: ShellOptions['isolation']): Isolation {
  const isolated = isolationHere()
  if (wanted === 'required' && isolated !== 'bubblewrap')
    throw new MandateError(
      'DENIED',
      'Refused: programs shall run isolated, and bubblewrap is not installed or not permitted here. Install `bubblewrap`.',
    )
  return isolated
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
  { code, stdout, stderr, stopped }: Awaited<ReturnType<typeof runChild>>,
  { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
): { [member: string]: string | number | null } {
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
    ...(stopped === undefined ? {} : { stopped: `${name} was ended: ${why[stopped]}.` }),
  }
}
