import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { MandateError, seededRandom, systemRandom } from '../../src/core/index.ts'
import type { Random } from '../../src/core/index.ts'
import { isEnded, readAll, verifyEntries } from '../../src/journal/index.ts'
import type { Kernel } from '../../src/run/index.ts'
import { keepServer } from '../servers/keeping.ts'
import type { KeptServer } from '../servers/keeping.ts'
import { openKernel } from './engines.ts'
import type { EngineName, Order } from './engines.ts'
import { answerTo, readWorld, shapeOf } from './minds.ts'

export interface ChaosPlan {
  readonly engine: EngineName
  readonly runs: number
  readonly workers: number
  readonly seed: number
  /** How long it may take; what is not over by then has failed. */
  readonly limitMs: number
  /** What goes wrong, again and again until everything is over: its name and the pause before it, about. */
  readonly faults: readonly (readonly [Fault, number])[]
  /** By how much the clocks of workers are wrong, one after the other. */
  readonly skews?: readonly number[] | undefined
  /** Nobody answers until all runs that ask are parked; then everybody at once. */
  readonly parked?: boolean | undefined
}

export type Fault =
  | 'kill'
  | 'kill-recovering'
  | 'freeze'
  | 'drain'
  | 'cut-connections'
  | 'crash-postgres'
  | 'crash-engine'
  | 'other-version'

export interface ChaosReport {
  readonly runs: number
  readonly seconds: number
  readonly entries: number
  readonly effects: number
  readonly answers: number
  readonly faults: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

/** Lives through one plan: real processes, a real Postgres, and checks of what must hold whatever happens. */
export async function chaos(plan: ChaosPlan): Promise<ChaosReport> {
  const scene = await Scene.open(plan)
  try {
    return await scene.play()
  } finally {
    await scene.close()
  }
}

const FIXTURE = fileURLToPath(new URL('./worker.fixture.ts', import.meta.url))

class Scene {
  readonly #plan: ChaosPlan
  readonly #order: Order
  readonly #postgres: KeptServer
  readonly #engine: KeptServer | undefined
  readonly #folder: string
  readonly #random: Random
  readonly #workers = new Set<ChildProcess>()
  readonly #seen = new Map<string, { readonly seq: number; readonly hash: string }>()
  readonly #faults: Record<string, number> = {}
  readonly #problems: string[] = []
  readonly #client: Kernel
  #answers = 0
  #started = 0
  #isOver = false

  static async open(plan: ChaosPlan): Promise<Scene> {
    const postgres = await keepServer({ kind: 'postgres', isSafe: true })
    const engine = plan.engine === 'restate' ? await keepServer({ kind: 'restate', isSafe: true }) : undefined
    return new Scene(plan, { postgres, engine, port: await freePort() })
  }

  constructor(
    plan: ChaosPlan,
    { postgres, engine, port }: { postgres: KeptServer; engine: KeptServer | undefined; port: number },
  ) {
    this.#plan = plan
    this.#postgres = postgres
    this.#engine = engine
    this.#random = seededRandom(`chaos ${plan.seed}`)
    this.#folder = mkdtempSync(join(tmpdir(), 'mandate-chaos-'))
    const log = join(this.#folder, 'world')
    writeFileSync(log, '')
    this.#order = {
      ...{ engine: plan.engine, url: postgres.url, schema: `c_${systemRandom.hex(6)}`, server: engine?.url, port, log },
      ...(plan.engine === 'local' ? { runs: plan.runs } : {}),
    }
    this.#client = openKernel(this.#order, false)
  }

  get #isLocal(): boolean {
    return this.#plan.engine === 'local'
  }

  async play(): Promise<ChaosReport> {
    const begun = Date.now()
    const limit = begun + this.#plan.limitMs
    // Makes the tables before the workers race for it.
    await this.#client.journal.list({ limit: 1 })
    const workers = this.#isLocal ? 1 : this.#plan.workers
    await Promise.all(Array.from({ length: workers }, () => this.#startWorker()))
    const parts = [this.#watch(), ...this.#plan.faults.map(([fault, about]) => this.#repeat(fault, about))]
    if (!this.#isLocal) parts.push(this.#startRuns(), this.#answerAll())
    while (!this.#isOver && Date.now() < limit) await pause(100)
    if (!this.#isOver) this.#problems.push(`cut off after ${this.#plan.limitMs} ms`)
    this.#isOver = true
    await Promise.all(parts)
    const entries = await this.#check()
    const world = readWorld(this.#order.log)
    return {
      runs: this.#plan.runs,
      seconds: (Date.now() - begun) / 1_000,
      entries,
      effects: [...world.values()].reduce((sum, count) => sum + count, 0),
      answers: this.#answers,
      faults: this.#faults,
      problems: this.#problems.slice(0, 20),
    }
  }

  async close(): Promise<void> {
    this.#isOver = true
    for (const worker of this.#workers) worker.kill('SIGKILL')
    await this.#client.stop()
    await this.#client.journal.close()
    await this.#engine?.stop()
    await this.#postgres.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Starts a worker, and again when it ends before it takes runs, as whoever supervises it would. */
  async #startWorker(more: Partial<Order> = {}): Promise<ChildProcess> {
    const { skews = [] } = this.#plan
    const skewMs = skews.length === 0 ? 0 : skews[this.#started++ % skews.length]
    const order = JSON.stringify({ ...this.#order, skewMs, ...more })
    const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
    const worker = spawn(process.execPath, [...flags, FIXTURE, order], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#workers.add(worker)
    let said = ''
    let isReady = false
    worker.stderr.on('data', (chunk) => (said = `${said}${String(chunk)}`.slice(-2_000)))
    worker.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      // What ends by itself is started again by whoever supervises it, and counted.
      if (signal !== null || code === 0 || !isReady || this.#isOver) return
      this.#faults['ended by itself'] = (this.#faults['ended by itself'] ?? 0) + 1
      process.stderr.write(`a worker ended with ${code}: ${said.slice(0, 300)}\n`)
      void this.#startWorker(more)
    })
    await new Promise<void>((resolve) => {
      worker.stdout.once('data', () => resolve(void (isReady = true)))
      worker.once('exit', () => resolve())
    })
    if (isReady || worker.signalCode !== null || this.#isOver) return worker
    await pause(500)
    return this.#startWorker(more)
  }

  /** Every start is asked for four times: the same run each time. */
  async #startRuns(): Promise<void> {
    const runs = Array.from({ length: this.#plan.runs }, (_, index) => index)
    const next = async (): Promise<void> => {
      for (let index = runs.shift(); index !== undefined; index = runs.shift()) {
        const spec = { kind: 'program', name: this.#shape(index), input: null, runId: `r${index}` } as const
        const asked = Array.from({ length: 4 }, () => this.#insist(() => this.#client.plan(spec)))
        await Promise.all(asked)
      }
    }
    await Promise.all(Array.from({ length: 8 }, next))
  }

  #shape(index: number): string {
    return this.#plan.parked === true ? 'ask' : shapeOf(index)
  }

  /** Answers whatever is asked, four times each. */
  async #answerAll(): Promise<void> {
    let mayAnswer = this.#plan.parked !== true
    while (!this.#isOver) {
      const requests = (await quietly(() => this.#client.approvals({ limit: 10_000 }))) ?? []
      mayAnswer ||= requests.filter(({ reason }) => reason === 'approval').length >= this.#plan.runs
      const toAnswer = requests.filter(({ reason }) => mayAnswer || reason !== 'approval')
      this.#answers += toAnswer.length
      for (const request of toAnswer) {
        const answer = answerTo(request, this.#order.log)
        await Promise.all(Array.from({ length: 4 }, () => quietly(() => this.#client.respond(request.id, answer))))
      }
      await pause(100)
    }
  }

  /** Looks at what the store has acknowledged, and whether everything is over. */
  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await pause(200)
      const found = await quietly(() => this.#client.journal.list({ limit: 100_000 }))
      for (const { run, head } of found ?? [])
        if (head.seq > (this.#seen.get(run)?.seq ?? 0)) this.#seen.set(run, { seq: head.seq, hash: head.hash })
      const over = (found ?? []).filter(({ parent, state }) => parent === undefined && isEnded(state))
      if (over.length >= this.#plan.runs) this.#isOver = true
    }
  }

  async #repeat(fault: Fault, about: number): Promise<void> {
    for (;;) {
      const until = Date.now() + about * (0.5 + this.#random.next())
      while (Date.now() < until && !this.#isOver) await pause(50)
      if (this.#isOver) return
      this.#faults[fault] = (this.#faults[fault] ?? 0) + 1
      await this.#cause(fault)
    }
  }

  async #cause(fault: Fault): Promise<void> {
    const worker = [...this.#workers][Math.floor(this.#random.next() * this.#workers.size)]
    switch (fault) {
      case 'kill':
        worker?.kill('SIGKILL')
        await this.#startWorker()
        return
      case 'kill-recovering': {
        worker?.kill('SIGKILL')
        const heir = await this.#startWorker()
        await pause(this.#random.next() * 300)
        heir.kill('SIGKILL')
        await this.#startWorker()
        return
      }
      case 'freeze':
        worker?.kill('SIGSTOP')
        await pause(5_000 + this.#random.next() * 3_000)
        worker?.kill('SIGCONT')
        return
      case 'drain':
        await this.#startWorker()
        worker?.kill('SIGTERM')
        return
      case 'other-version':
        await this.#startWorker({ lacks: ['chains'] })
        worker?.kill('SIGTERM')
        return
      case 'cut-connections':
        await quietly(() =>
          this.#ask('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()'),
        )
        return
      case 'crash-postgres':
        await this.#postgres.crash()
        await pause(this.#random.next() * 2_000)
        await this.#postgres.start()
        return
      case 'crash-engine':
        await this.#engine?.crash()
        await pause(this.#random.next() * 1_000)
        await this.#engine?.start()
    }
  }

  async #ask(sql: string): Promise<unknown> {
    const client = new Client({ connectionString: this.#postgres.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** A client asks again until it is told that the store has it. */
  async #insist(ask: () => Promise<unknown>): Promise<void> {
    while ((await quietly(ask)) === undefined && !this.#isOver) await pause(200)
  }

  async #check(): Promise<number> {
    const { journal } = this.#client
    let count = 0
    const found = await journal.list({ limit: 100_000 })
    for (const { run, state, waiting, suspendReason, wakeAt } of found) {
      const entries = await readAll(journal, run)
      count += entries.length
      this.#problems.push(...verifyEntries(run, entries).problems.map((problem) => `${run}: ${problem}`))
      if (entries.some(({ seq }, index) => seq !== index + 1))
        this.#problems.push(`${run}: not one row for each number`)
      const seen = this.#seen.get(run)
      if (seen !== undefined && entries[seen.seq - 1]?.hash !== seen.hash)
        this.#problems.push(`${run}: the acknowledged entry ${seen.seq} is lost`)
      if (!isEnded(state) && !(state === 'suspended' && waiting !== undefined)) {
        const signals = (await journal.signals(run)).map(({ type }) => type).join()
        const last = entries.slice(-4).map(({ type }) => type)
        const why = `${suspendReason ?? 'no reason'}, wake at ${wakeAt ?? 'no time'}, now ${Date.now()}`
        this.#problems.push(`${run} is ${state} (${why}), signals: ${signals}, last entries: ${last.join()}`)
      }
      if (isEnded(state) && state !== 'completed') this.#problems.push(`${run} is ${state}`)
    }
    const roots = found.filter(({ parent }) => parent === undefined).length
    if (roots !== this.#plan.runs) this.#problems.push(`${roots} runs where ${this.#plan.runs} were started`)
    for (const [label, times] of readWorld(this.#order.log))
      if (times > 1 && !label.endsWith('/look')) this.#problems.push(`${label} was done ${times} times`)
    return count
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

/** What a store or an engine that is away refuses is asked again by whoever needs it. */
async function quietly<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (MandateError.isInstance(error) || (error as { code?: unknown }).code !== undefined) return undefined
    if (/connection|terminat/iu.test(String(error))) return undefined
    throw error
  }
}
