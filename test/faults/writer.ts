import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { WriterOrder } from './writer.fixture.ts'

const program = fileURLToPath(new URL('./writer.fixture.ts', import.meta.url))

/** What a writer process said, and how it ended. */
export interface WriterReport {
  readonly lines: readonly string[]
  /** The number of the last entry that was acknowledged. */
  readonly acked: number
  /** Codes of the refusals it met. */
  readonly refusals: readonly string[]
  readonly signal: NodeJS.Signals | null
  readonly errors: string
}

export interface Writer {
  readonly child: ChildProcess
  readonly ended: Promise<WriterReport>
  /** Resolves when the process has said a line that starts with this. */
  said(start: string): Promise<void>
}

/** Starts a writer, under another program such as strace when one is given. */
export function startWriter(order: WriterOrder, under: readonly string[] = []): Writer {
  const [command, ...args] = [...under, process.execPath, program, JSON.stringify(order)]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  let errors = ''
  const listeners = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    for (const listener of listeners) listener()
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece))
  const lines = (): string[] => text.split('\n').slice(0, -1)
  const ended = new Promise<WriterReport>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_, signal) => {
      const acks = lines().filter((line) => line.startsWith('ack '))
      const refusals = lines()
        .filter((line) => line.startsWith('fail '))
        .map((line) => line.slice(5))
      resolve({ lines: lines(), acked: Number(acks.at(-1)?.slice(4) ?? 0), refusals, signal, errors })
    })
  })
  const said = (start: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!lines().some((line) => line.startsWith(start))) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
      ended.then(() => reject(new Error(`The writer ended without saying "${start}": ${text}${errors}`)), reject)
    })
  return { child, ended, said }
}
