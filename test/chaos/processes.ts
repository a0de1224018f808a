import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../src/core/index.ts'
import type { Order } from './engines.ts'

const FIXTURE = fileURLToPath(new URL('./worker.fixture.ts', import.meta.url))

/** The workers of a scene, and whoever supervises them: what ends without having been told to is started again. */
export class Processes {
  readonly #orderOf: (number: number) => Order
  readonly #random: Random
  readonly #running = new Set<ChildProcess>()
  readonly #ready = new WeakSet<ChildProcess>()
  readonly #frozen = new Set<ChildProcess>()
  readonly #meant = new WeakSet<ChildProcess>()
  #started = 0
  #isOver = false
  /** How often one ended by itself. */
  ended = 0

  constructor(orderOf: (number: number) => Order, random: Random) {
    this.#orderOf = orderOf
    this.#random = random
  }

  get started(): number {
    return this.#started
  }

  /** Whether one is frozen that may go on. */
  get hasFrozen(): boolean {
    return [...this.#frozen].some((worker) => this.#running.has(worker))
  }

  /** Any one that takes runs. */
  pick(): ChildProcess | undefined {
    const ready = [...this.#running].filter((worker) => this.#ready.has(worker))
    return ready[Math.floor(this.#random.next() * ready.length)]
  }

  /** Sends a signal; false when there was nobody to get it. */
  signal(worker: ChildProcess | undefined, signal: NodeJS.Signals): boolean {
    if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return false
    if (signal === 'SIGKILL' || signal === 'SIGTERM') this.#meant.add(worker)
    if (signal === 'SIGSTOP') this.#frozen.add(worker)
    // It needs a moment for what it was in the middle of.
    if (signal === 'SIGCONT') setTimeout(() => this.#frozen.delete(worker), 1_000)
    return worker.kill(signal)
  }

  /** Resolves when the new worker takes runs. One that ends before is started again. */
  async start(more: Partial<Order> = {}): Promise<ChildProcess | undefined> {
    while (!this.#isOver) {
      const worker = this.#spawn(more)
      const isReady = await new Promise<boolean>((resolve) => {
        worker.stdout!.once('data', () => resolve(true))
        worker.once('exit', () => resolve(false))
      })
      if (isReady || this.#meant.has(worker)) return worker
      await pause(500)
    }
    return undefined
  }

  /** Ends all at once, for good. */
  end(): void {
    this.#isOver = true
    for (const worker of this.#running) worker.kill('SIGKILL')
  }

  /** Starts nothing more. */
  close(): void {
    this.#isOver = true
  }

  #spawn(more: Partial<Order>): ChildProcess {
    const order = JSON.stringify({ ...this.#orderOf(this.#started++), ...more })
    const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
    const worker = spawn(process.execPath, [...flags, FIXTURE, order], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#running.add(worker)
    let said = ''
    worker.stdout.once('data', () => this.#ready.add(worker))
    worker.stderr.on('data', (chunk) => (said = `${said}${String(chunk)}`.slice(-2_000)))
    worker.on('exit', (code, signal) => {
      this.#running.delete(worker)
      if (this.#meant.has(worker) || code === 0 || !this.#ready.has(worker) || this.#isOver) return
      this.ended += 1
      if (signal === null) process.stderr.write(`a worker ended with ${code}: ${said.slice(0, 300)}\n`)
      void this.start(more)
    })
    return worker
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
