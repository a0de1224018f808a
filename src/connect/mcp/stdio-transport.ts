import { type ChildProcess, spawn } from 'node:child_process'
import { type Clock, delay } from '../../core/index.ts'
import { type KnownValues, knownValues, secretRedactor } from '../../redact/index.ts'
import type { McpStdioServer } from './server-config.ts'

/** A received or outgoing message: JSON-RPC, not validated. */
type WireMessage = { readonly [field: string]: unknown }

interface StdioOptions {
  readonly maxMessageBytes: number
  readonly clock: Clock
}

const GRACE_MS = 500
const STDERR_BYTES = 4_096
/** The limit of lines that are no messages: some servers print a banner. */
const GARBAGE_MAX = 10_000
const DEPTH_MAX = 128
const INHERITED = ['PATH', 'HOME', 'LANG']

const alive = new Set<number>()
let endsWithUs = false

/**
 * A server as a child process: one JSON-RPC message per line. It leads a process group, which ends with the connection. Its output is bounded: the
 * length of a line, its nesting, the number of invalid lines, and the kept error output.
 */
export class StdioTransport {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: never) => void) | undefined
  readonly #server: McpStdioServer
  readonly #options: StdioOptions
  readonly #known: KnownValues = knownValues()
  #child: ChildProcess | undefined
  #pieces: Buffer[] = []
  #bytes = 0
  #garbage = 0
  /** The ids of pending requests. */
  readonly #asked = new Set<unknown>()
  #stderr = ''
  #closed: Promise<void> | undefined
  /** Why this side ended the process, if it did. */
  fault: string | undefined

  constructor(server: McpStdioServer, options: StdioOptions) {
    this.#server = server
    this.#options = options
    for (const [name, value] of Object.entries(server.env ?? {})) this.#known.add(name, value)
  }

  /** Present, so that the protocol's client treats a missing reply as a sign of an older server. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The end of its error output, without secrets. */
  get stderr(): string {
    return secretRedactor().text(this.#known.text(this.#stderr)).trim()
  }

  start(): Promise<void> {
    const { command, args = [], cwd } = this.#server
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        cwd,
        env: environment(this.#server),
        detached: true,
        shell: false,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      this.#child = child
      this.#closed = new Promise((done) => child.once('exit', () => done()))
      child.once('spawn', () => {
        endWithUs(child.pid)
        resolve()
      })
      child.once('error', (error) => {
        reject(error)
        this.#end()
      })
      child.once('exit', () => {
        endGroup(child.pid)
        this.#end()
      })
      // A broken pipe is reported by the exit.
      child.stdin.on('error', () => {})
      child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
      child.stderr.on('data', (chunk: Buffer) => {
        this.#stderr = (this.#stderr + chunk.toString('utf8', Math.max(0, chunk.length - STDERR_BYTES))).slice(
          -STDERR_BYTES,
        )
      })
    })
  }

  send(message: unknown): Promise<void> {
    const child = this.#child
    const { id, method } = message as WireMessage
    if (method !== undefined && id !== undefined) this.#asked.add(id)
    return new Promise((resolve, reject) => {
      if (child?.stdin?.writable !== true) return reject(new Error('The server has ended.'))
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error == null ? resolve() : reject(error)))
    })
  }

  /** Closes its input, then sends SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || this.#closed === undefined) return
    const { clock } = this.#options
    child.stdin?.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) break
      if (await isBefore(this.#closed, clock)) break
      endGroup(child.pid, signal)
    }
    if (child.pid !== undefined) await this.#closed
    this.#end()
  }

  #end(): void {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    this.#pieces = []
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.stdin?.destroy()
    this.onclose?.()
  }

  #fail(why: string): void {
    if (this.fault !== undefined) return
    this.fault = why
    this.onerror?.(new Error(why))
    endGroup(this.#child?.pid)
  }

  #take(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1 && this.fault === undefined; at = chunk.indexOf(10, from)) {
      this.#pieces.push(chunk.subarray(from, at))
      const size = this.#bytes + at - from
      const line = Buffer.concat(this.#pieces)
      this.#pieces = []
      this.#bytes = 0
      from = at + 1
      if (size > this.#options.maxMessageBytes) return this.#tooLong()
      this.#read(line.toString('utf8'))
    }
    if (this.fault !== undefined || from === chunk.length) return
    this.#pieces.push(chunk.subarray(from))
    this.#bytes += chunk.length - from
    if (this.#bytes > this.#options.maxMessageBytes) this.#tooLong()
  }

  #tooLong(): void {
    this.#pieces = []
    this.#fail(`It wrote a line of more than ${this.#options.maxMessageBytes} bytes.`)
  }

  #read(line: string): void {
    if (line.trim() === '') return
    const message = messageIn(line)
    // An answer must have the exact id of a pending request, and is accepted once; "1" is not 1.
    const isAnswer = message !== undefined && message['method'] === undefined
    if (isAnswer ? this.#asked.delete(message['id']) : message !== undefined) this.onmessage?.(message as never)
    else if (++this.#garbage > GARBAGE_MAX) this.#fail(`It wrote more than ${GARBAGE_MAX} lines that are no messages.`)
  }
}

/** The message in a line; `undefined` if it is invalid. */
function messageIn(line: string): WireMessage | undefined {
  if (isDeep(line)) return undefined
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return (value as WireMessage)['jsonrpc'] === '2.0' ? (value as WireMessage) : undefined
  } catch {
    return undefined
  }
}

function isDeep(text: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === 92) at += 1
      else if (code === 34) isText = false
    } else if (code === 34) isText = true
    else if (code === 91 || code === 123) depth += 1
    else if (code === 93 || code === 125) depth -= 1
    if (depth > DEPTH_MAX) return true
  }
  return false
}

function environment({ env = {} }: McpStdioServer): { readonly [name: string]: string } {
  const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(inherited), ...env } as { readonly [name: string]: string }
}

async function isBefore(event: Promise<void>, clock: Clock): Promise<boolean> {
  return Promise.race([event.then(() => true), delay(clock, GRACE_MS).then(() => false)])
}

function endWithUs(pid: number | undefined): void {
  if (pid === undefined) return
  alive.add(pid)
  if (endsWithUs) return
  endsWithUs = true
  process.once('exit', () => {
    for (const one of alive) endGroup(one)
  })
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Exited already.
  }
  if (signal === 'SIGKILL') alive.delete(pid)
}
