import { type ChildProcess, fork, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunnerReport, RunnerTask } from './runner.ts'

const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface ToolServer {
  readonly url: string
  /** How often each effect of a run, or of its children, was really done. */
  counts(run: string): Promise<Record<string, number>>
  close(): void
}

/** Starts the outside world in a process of its own. */
export async function startToolServer(): Promise<ToolServer> {
  const server: ChildProcess = fork(here('./tool-server.ts'), { execArgv: flags })
  const port = await new Promise<number>((resolve, reject) => {
    server.once('message', (message) => resolve(message as number))
    server.once('exit', (code) => reject(new Error(`the tool server ended with ${code}`)))
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    counts: async (run) =>
      (await (await fetch(`${url}/all?${new URLSearchParams({ run })}`)).json()) as Record<string, number>,
    close: () => void server.kill(),
  }
}

/** How a runner ended: killed, or with what it has to say. */
export type Ended = { readonly killed: true } | { readonly killed: false; readonly report: RunnerReport }

/** Runs one process until it ends or kills itself. */
export function runProcess(task: RunnerTask): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, here('./runner.ts'), JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Most of what so short a process does is load its modules.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'mandate-crash-compile') },
    })
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    const timer = setTimeout(() => child.kill('SIGTERM'), 60_000)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') resolve({ killed: true })
      else if (code === 0 && complaint === '') resolve({ killed: false, report: JSON.parse(out) as RunnerReport })
      else reject(new Error(`runner ended with ${code ?? signal}: ${complaint || out || 'nothing said'}`))
    })
  })
}
