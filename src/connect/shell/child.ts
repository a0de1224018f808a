import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Clock } from '../../core/index.ts'
import { isChecked } from '../checks.ts'

interface ChildOptions {
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly clock: Clock
}

interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it was stopped; absent if it exited by itself. */
  readonly stopped?: 'timeout' | 'output' | 'cancelled' | undefined
  /** The size and hash of its output beyond `maxBytes`. */
  readonly cut?: { readonly bytes: number; readonly sha256: string } | undefined
}

const GRACE_MS = 500

/** Runs a program until it exits or exceeds a limit. It leads a process group, which ends with it. */
export function runChild([file = '', ...args]: readonly string[], options: ChildOptions): Promise<Finished> {
  const { cwd, env, timeoutMs, maxBytes, signal, clock } = options
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, detached: true, shell: false, stdio: ['ignore', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    const err: Buffer[] = []
    const rest = createHash('sha256')
    let bytes = 0
    let stopped: Finished['stopped']
    let stopGrace: (() => void) | undefined
    const stop = (why: Finished['stopped']): void => {
      if (stopped !== undefined) return
      stopped = why
      endGroup(child.pid, 'SIGTERM')
      stopGrace = clock.timer(GRACE_MS, () => endGroup(child.pid, 'SIGKILL'))
    }
    const take = (list: Buffer[]) => (chunk: Buffer) => {
      const room = Math.max(0, maxBytes - bytes)
      if (room > 0 || !isChecked('shell.output-cap'))
        list.push(isChecked('shell.output-cap') ? chunk.subarray(0, room) : chunk)
      bytes += chunk.length
      // Beyond the limit only a digest is kept, by which the rest can be identified later.
      if (chunk.length > room) rest.update(chunk.subarray(room))
      if (bytes > maxBytes && isChecked('shell.output-cap')) stop('output')
    }
    child.stdout.on('data', take(out))
    child.stderr.on('data', take(err))
    const stopTimer = clock.timer(timeoutMs, () => stop('timeout'))
    const cancel = (): void => stop('cancelled')
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    const finish = (): void => {
      stopTimer()
      stopGrace?.()
      signal.removeEventListener('abort', cancel)
      // Remaining processes of its group end with it.
      endGroup(child.pid, 'SIGKILL')
    }
    child.on('error', (error) => {
      finish()
      reject(error)
    })
    child.on('exit', (code) => {
      finish()
      // A descendant outside the process group may hold the pipes open for ever, so they are closed after a while.
      const stopWaiting = clock.timer(GRACE_MS, () => (child.stdout.destroy(), child.stderr.destroy()))
      child.on('close', () => {
        stopWaiting()
        const cut = bytes > maxBytes ? { bytes: bytes - maxBytes, sha256: rest.digest('hex') } : undefined
        resolve({ code, stdout: text(out), stderr: text(err), stopped, cut })
      })
    })
  })
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Exited already.
  }
}

function text(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString('utf8')
}
