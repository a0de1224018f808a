import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))
export const REFUND = 'test/cli/fixtures/refund-agent.ts'
export const SLOW = 'test/cli/fixtures/slow-agent.ts'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mandate-cli-'))
  writeFileSync(join(dir, 'refunds'), '')
})
afterEach(() => rmSync(dir, { recursive: true }))

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly notes: string
}

export function store(): string {
  return join(dir, 'store')
}

/** Which orders were really refunded: the outside world's own count. */
export function refunds(): string {
  return readFileSync(join(dir, 'refunds'), 'utf8')
}

/** The words of the command, as a shell would pass them. */
export function commandLine(words: readonly string[]): string[] {
  const dirWords = words.includes('--dir') ? [] : ['--dir', store()]
  return [process.execPath, '--conditions=mandate-source', 'src/cli/main.ts', ...words, ...dirWords]
}

/** The environment of a person at a terminal: without what decides about colour where these tests happen to run. */
export function environment(): NodeJS.ProcessEnv {
  const { NO_COLOR: _noColor, FORCE_COLOR: _forceColor, CI: _ci, ...rest } = process.env
  return { ...rest, REFUNDS: join(dir, 'refunds') }
}

/** Runs the command in a process of its own, with pipes. */
export function mandate(...words: string[]): Said {
  return mandateIn({}, ...words)
}

/** The same with something set in the environment. */
export function mandateIn(env: Record<string, string>, ...words: string[]): Said {
  const [program, ...args] = commandLine(words)
  const { status, stdout, stderr } = spawnSync(program!, args, {
    cwd: ROOT,
    env: { ...environment(), ...env },
    encoding: 'utf8',
  })
  return { code: status, out: stdout, notes: stderr }
}
