import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import type { DbosEngineOptions } from '../../src/engine/index.ts'
import type { Kernel } from '../../src/run/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { sharedServer } from '../servers/shared.ts'
import { workKernel } from './minds.ts'

/** A database of one's own for workers, as a URL with a schema that nobody has used yet, and a file for what tools did. */
export async function newPlace(): Promise<{ readonly url: string; readonly log: string; lines(): string[] }> {
  const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
  const folder = mkdtempSync(join(tmpdir(), 'mandate-workers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const log = join(folder, 'log')
  const lines = (): string[] => {
    try {
      return readFileSync(log, 'utf8').split('\n').filter(Boolean)
    } catch {
      return []
    }
  }
  return { url, log, lines }
}

type WorkerOptions = Partial<Omit<DbosEngineOptions, 'role'>> & { readonly log?: string; readonly only?: string }

/** A worker in a process of its own, which takes runs when this resolves; it ends with the test. */
export function startWorker(url: string, options: WorkerOptions = {}): Promise<ChildProcess> {
  return startProgram('worker.fixture.ts', { ...options, url })
}

/** The same with another program of this folder. */
export async function startProgram(file: string, order: object): Promise<ChildProcess> {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const flags = ['--conditions=mandate-source', '--disable-warning=DeprecationWarning']
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (piece) => (said += String(piece)))
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`The worker ended with ${code}: ${said}`)))
  })
  return child
}

/** How a process ended. */
export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

/** A process that only starts runs and speaks to them: this one. */
export async function openClient(url: string): Promise<Kernel> {
  const store = await openPostgres({ url })
  const kernel = workKernel({ journal: store.journal, engine: dbosEngine({ url }) })
  onTestFinished(async () => {
    await kernel.stop()
    await store.close()
  })
  await kernel.attach()
  return kernel
}
