import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openStore } from 'mandate/sqlite'
import { afterEach, beforeEach, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { builtPackage } from '../built-package.ts'

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))
export const REFUND = 'test/cli/fixtures/refund-agent.ts'
export const SLOW = 'test/cli/fixtures/slow-agent.ts'

const { flags, main } = await builtPackage()

/** The program and its first words: the command as built, so that hundreds of processes need not read the sources. */
export const COMMAND: readonly string[] = [process.execPath, ...flags, main]

let dir = ''

/** Gives every test of the file that calls this a folder of its own. A call, because this module is loaded once for many files. */
export function useOwnFolder(): void {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mandate-cli-'))
    writeFileSync(join(dir, 'refunds'), '')
  })
  afterEach(() => {
    rmSync(dir, { recursive: true })
    dir = ''
  })
}

function inFolder(name: string): string {
  if (dir === '') throw new Error('The file of this test has to call useOwnFolder() first.')
  return join(dir, name)
}

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly notes: string
}

export function store(): string {
  return inFolder('store')
}

/** Makes the store, without a run in it. */
export async function makeStore(): Promise<void> {
  const { journal, data } = await openStore({ dir: store() })
  await Promise.all([journal.close(), data.close()])
}

/** Which orders were really refunded: the outside world's own count. */
export function refunds(): string {
  return readFileSync(inFolder('refunds'), 'utf8')
}

/** The words of the command, as a shell would pass them. */
export function commandLine(words: readonly string[]): string[] {
  const dirWords = words.includes('--dir') || words.includes('--store') ? [] : ['--dir', store()]
  return [...COMMAND, ...words, ...dirWords]
}

/** The environment of a person at a terminal: without what decides about colour where these tests happen to run, and with the same shell everywhere. */
export function environment(): NodeJS.ProcessEnv {
  const { NO_COLOR: _noColor, FORCE_COLOR: _forceColor, CI: _ci, ...rest } = process.env
  return { ...rest, SHELL: '/bin/sh', REFUNDS: inFolder('refunds') }
}

/** Runs the command in this process: what a process of its own adds is shown by the tests that use `mandateProcess`, and by those in a terminal. */
export function mandate(...words: string[]): Promise<Said> {
  return mandateIn({}, ...words)
}

/** The same with something set in the environment. */
export async function mandateIn(env: Record<string, string>, ...words: string[]): Promise<Said> {
  const own = process.env
  const out = capture(process.stdout)
  const notes = capture(process.stderr)
  // Modules of users are loaded anew for each, as by a process.
  process.env = { ...environment(), ...env, MANDATE_FRESH: String(++count) }
  try {
    const code = await runCommandLine(commandLine(words).slice(COMMAND.length))
    return { code, out: out.text(), notes: notes.text() }
  } finally {
    process.env = own
    out.end()
    notes.end()
  }
}

/** The same with this on its standard input, as from a pipe. */
export async function mandatePiped(input: string, ...words: string[]): Promise<Said> {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin')!
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) })
  try {
    return await mandate(...words)
  } finally {
    Object.defineProperty(process, 'stdin', own)
  }
}

let count = 0

/** Keeps what is written to a stream instead of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  let text = ''
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  })
  return { text: () => text, end: () => spy.mockRestore() }
}

/** Runs the command in a process of its own, with pipes. */
export function mandateProcess(...words: string[]): Said {
  const [program, ...args] = commandLine(words)
  const { status, stdout, stderr } = spawnSync(program!, args, { cwd: ROOT, env: environment(), encoding: 'utf8' })
  return { code: status, out: stdout, notes: stderr }
}
