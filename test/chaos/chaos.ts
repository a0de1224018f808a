import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MandateError, seededRandom, systemRandom } from '../../src/core/index.ts'
import type { Random } from '../../src/core/index.ts'
import { isEnded, readAll, verifyEntries } from '../../src/journal/index.ts'
import type { Entry } from '../../src/journal/index.ts'
import type { ApprovalRequest, Engine, Kernel } from '../../src/run/index.ts'
import { keepServer } from '../servers/keeping.ts'
import type { KeptServer } from '../servers/keeping.ts'
import { startProxy } from '../servers/proxy.ts'
import type { Proxy } from '../servers/proxy.ts'
import { openKernel } from './engines.ts'
import type { EngineName, Order } from './engines.ts'
import { cause } from './faults.ts'
import type { Fault } from './faults.ts'
import { HOOKED, hookSender } from './hooks.ts'
import { answerTo, readWorld, shapeOf } from './minds.ts'
import { readPlaces } from './places.ts'
import { Processes, pause } from './processes.ts'

export interface ChaosPlan {
  readonly engine: EngineName
  readonly runs: number
  readonly workers: number
  readonly seed: number
  /** How long it may take; what is not over by then has failed. */
  readonly limitMs: number
  /** What goes wrong, again and again until everything is over: its name and the pause before it, about. One that never happened is a failure. */
  readonly faults: readonly (readonly [Fault, number])[]
  /** By how much the clocks of workers are wrong, one after the other. */
  readonly skews?: readonly number[] | undefined
  /** Nobody answers until all runs that ask are parked; then everybody at once. */
  readonly parked?: boolean | undefined
  /** What all runs do; a mixture when absent. */
  readonly shape?: string | undefined
  /** Segments of a worker at a time. */
  readonly concurrency?: number | undefined
  /** Whether the places are written down that runs pass. */
  readonly hasPlaces?: boolean | undefined
  /** What is done to the database behind the back of everybody, before the checks: so that they can be seen to notice it. */
  readonly tamper?: ((url: string, schema: string) => Promise<void>) | undefined
  /** Tools whose calls are repeated although they must not be. */
  readonly isCareless?: boolean | undefined
  /** By run, the place at which its process is killed. Nine of ten have to be reached. */
  readonly killAt?: Readonly<Record<string, string>> | undefined
}

export interface ChaosReport {
  readonly runs: number
  readonly seconds: number
  readonly entries: number
  readonly effects: number
  readonly answers: number
  readonly faults: Readonly<Record<string, number>>
  readonly problems: readonly string[]
  /** The places that runs passed. */
  readonly places: readonly string[]
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

/** How many people answer at a time. */
const PEOPLE = 16
const VOLUME_MB = 160

interface Servers {
  readonly postgres: KeptServer
  readonly engineServer: KeptServer | undefined
  readonly proxies: readonly Proxy[]
  /** Where the workers of Restate listen. */
  readonly port: number
}

class Scene {
  readonly #plan: ChaosPlan
  readonly #order: Order
  readonly #servers: Servers
  readonly #folder: string
  readonly #random: Random
  readonly #processes: Processes
  readonly #seen = new Map<string, { readonly seq: number; readonly hash: string }>()
  readonly #faults: Record<string, number> = {}
  readonly #problems: string[] = []
  readonly #client: Kernel
  readonly #engine: Engine
  /** The processes that start, answer and read: the client, and one more where deliveries come to two servers. */
  readonly #readers: readonly Kernel[]
  /** What sends a delivery to one server and the other, where deliveries start the runs. */
  readonly #senders: readonly ((index: number) => Promise<string>)[]
  #answers = 0
  #isOver = false
  #wasCutOff = false

  static async open(plan: ChaosPlan): Promise<Scene> {
    const has = (fault: Fault): boolean => plan.faults.some(([name]) => name === fault)
    const volume = has('full-disk') ? { volumeMb: VOLUME_MB } : {}
    const postgres = await keepServer({ kind: 'postgres', isSafe: true, ...volume })
    const engineServer = plan.engine === 'restate' ? await keepServer({ kind: 'restate', isSafe: true }) : undefined
    const target = Number(new URL(postgres.url).port)
    const ways = has('stall') ? (plan.engine === 'local' ? 1 : 2) : 0
    const proxies = await Promise.all(Array.from({ length: ways }, () => startProxy(target)))
    return new Scene(plan, { postgres, engineServer, proxies, port: await freePort() })
  }

  constructor(plan: ChaosPlan, servers: Servers) {
    const { postgres, engineServer, port } = servers
    this.#plan = plan
    this.#servers = servers
    this.#random = seededRandom(`chaos ${plan.seed}`)
    this.#folder = mkdtempSync(join(tmpdir(), 'mandate-chaos-'))
    const log = join(this.#folder, 'world')
    const places = join(this.#folder, 'places')
    for (const file of [log, places]) writeFileSync(file, '')
    const { engine, shape, concurrency, killAt, isCareless } = plan
    this.#order = {
      ...{ engine, url: postgres.url, schema: `c_${systemRandom.hex(6)}`, server: engineServer?.url, port, log },
      ...{ shape: plan.parked === true ? 'ask' : shape, concurrency, killAt, isCareless },
      ...(plan.hasPlaces === true || killAt !== undefined ? { places } : {}),
      ...(engine === 'local' ? { runs: plan.runs } : {}),
    }
    this.#processes = new Processes((number) => this.#orderOf(number), this.#random)
    const isHooked = shape === HOOKED && !this.#isLocal
    const opened = Array.from({ length: isHooked ? 2 : 1 }, () => openKernel(this.#order, false))
    this.#readers = opened.map(({ kernel }) => kernel)
    this.#senders = isHooked ? opened.map(({ service }) => hookSender(service!)) : []
    this.#client = opened[0]!.kernel
    this.#engine = opened[0]!.engine
  }

  get #isLocal(): boolean {
    return this.#plan.engine === 'local'
  }

  /** Clocks and ways to the database differ from one worker to the next. */
  #orderOf(number: number): Order {
    const { skews = [] } = this.#plan
    const { proxies } = this.#servers
    const url = new URL(this.#order.url)
    if (proxies.length > 0) url.port = String(proxies[number % proxies.length]!.port)
    return { ...this.#order, url: url.href, skewMs: skews.length === 0 ? 0 : skews[number % skews.length] }
  }

  async play(): Promise<ChaosReport> {
    const begun = Date.now()
    const limit = begun + this.#plan.limitMs
    // Makes the tables before the workers race for it.
    await this.#client.journal.list({ limit: 1 })
    const workers = this.#isLocal ? 1 : this.#plan.workers
    await Promise.all(Array.from({ length: workers }, () => this.#processes.start()))
    const parts = [this.#watch(), ...this.#plan.faults.map(([fault, about]) => this.#repeat(fault, about))]
    if (!this.#isLocal) parts.push(this.#startRuns(), this.#answerAll())
    while (!this.#isOver && Date.now() < limit) await pause(100)
    this.#wasCutOff = !this.#isOver
    if (this.#wasCutOff) this.#problems.push(`cut off after ${this.#plan.limitMs} ms`)
    this.#isOver = true
    await Promise.all(parts)
    this.#processes.close()
    if (this.#processes.ended > 0) this.#faults['ended by itself'] = this.#processes.ended
    this.#checkFaults()
    await this.#plan.tamper?.(this.#order.url, this.#order.schema)
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
      places: readPlaces(join(this.#folder, 'places'), 'passed'),
    }
  }

  async close(): Promise<void> {
    const { postgres, engineServer, proxies } = this.#servers
    this.#isOver = true
    this.#processes.end()
    for (const reader of this.#readers) {
      await reader.stop()
      await reader.journal.close()
    }
    await engineServer?.stop()
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await postgres.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Every start is asked for four times: the same run each time. */
  async #startRuns(): Promise<void> {
    const runs = Array.from({ length: this.#plan.runs }, (_, index) => index)
    const start = async (index: number): Promise<void> => {
      if (index >= this.#plan.runs / 2) await this.#allFaults()
      if (this.#senders.length > 0) return this.#deliver(index)
      const name = this.#order.shape ?? shapeOf(index)
      const spec = { kind: 'program', name, input: null, runId: `r${index}` } as const
      await Promise.all(Array.from({ length: 4 }, () => this.#insist(() => this.#client.plan(spec))))
    }
    await inTurn(runs, 8, start)
  }

  /** The scene is not over before all went wrong that shall: half of the runs wait for it, for a minute at most. */
  async #allFaults(): Promise<void> {
    const until = Date.now() + 60_000
    const isMissing = (): boolean => this.#plan.faults.some(([fault]) => this.#faults[fault] === undefined)
    while (isMissing() && !this.#isOver && Date.now() < until) await pause(100)
  }

  /** Every delivery is sent four times at once, to one server and the other; and each again until it was taken, as senders do. */
  async #deliver(index: number): Promise<void> {
    const sent = [...this.#senders, ...this.#senders].map((send) => this.#insist(() => send(index)))
    const runs = new Set(await Promise.all(sent))
    runs.delete(undefined)
    if (runs.size > 1) this.#problems.push(`the delivery ${index} became ${runs.size} runs`)
  }

  /** Answers whatever is asked, four times each. */
  async #answerAll(): Promise<void> {
    let mayAnswer = this.#plan.parked !== true
    while (!this.#isOver) {
      const requests = (await quietly(() => this.#client.approvals({ limit: 10_000 }))) ?? []
      const asked = requests.filter(({ reason }) => reason === 'approval')
      if (!mayAnswer && asked.length >= this.#plan.runs) {
        mayAnswer = true
        this.#faults['woken at once'] = asked.length
      }
      // What a frozen process was about to do, it may still do: nobody can say yet that it did not happen.
      const isKnown = !this.#processes.hasFrozen
      const toAnswer = requests.filter(({ reason }) =>
        reason === 'in-doubt' ? isKnown : mayAnswer || reason !== 'approval',
      )
      this.#answers += toAnswer.length
      await inTurn([...toAnswer], PEOPLE, (request) => this.#answer(request))
      await pause(100)
    }
  }

  async #answer(request: ApprovalRequest): Promise<void> {
    const answer = answerTo(request, this.#order.log)
    await Promise.all(Array.from({ length: 4 }, () => quietly(() => this.#client.respond(request.id, answer))))
  }

  /** Looks at what the store has acknowledged, and whether everything is over. */
  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await pause(200 + this.#plan.runs / 5)
      const found = await quietly(() => this.#client.journal.list({ limit: 100_000 }))
      for (const { run, head } of found ?? [])
        if (head.seq > (this.#seen.get(run)?.seq ?? 0)) this.#seen.set(run, { seq: head.seq, hash: head.hash })
      const over = (found ?? []).filter(({ parent, state }) => parent === undefined && isEnded(state))
      if (over.length >= this.#plan.runs) this.#isOver = true
    }
  }

  /** The first time much sooner, so that there is one in a short scene, and on a fast machine, as well; and where another fault was in the way. */
  async #repeat(fault: Fault, about: number): Promise<void> {
    const { postgres, engineServer, proxies } = this.#servers
    const targets = {
      ...{ processes: this.#processes, postgres, engineServer, proxies, random: this.#random },
      ...{ client: this.#client, engine: this.#engine },
    }
    for (;;) {
      const until = Date.now() + about * (this.#faults[fault] === undefined ? 0.1 : 0.5) * (1 + 2 * this.#random.next())
      while (Date.now() < until && !this.#isOver) await pause(50)
      if (this.#isOver) return
      if ((await quietly(() => cause(fault, targets))) === true) this.#faults[fault] = (this.#faults[fault] ?? 0) + 1
    }
  }

  /** A scene in which nothing went wrong says nothing. */
  #checkFaults(): void {
    for (const [fault] of this.#plan.faults)
      if (this.#faults[fault] === undefined) this.#problems.push(`the fault "${fault}" never happened`)
    if (this.#plan.parked === true && this.#faults['woken at once'] === undefined)
      this.#problems.push('the runs were never all parked at once')
    const { skews = [], killAt } = this.#plan
    if (this.#processes.started < skews.length) this.#problems.push('not every wrong clock had a worker')
    if (killAt === undefined) return
    const killed = new Set(readPlaces(this.#order.places!, 'killed'))
    this.#faults['killed at a place'] = killed.size
    // A run that was suspended once more than the one which was watched has its entries at other numbers: a few places are never met.
    const missed = Object.entries(killAt).filter(([run, place]) => !killed.has(`${run} ${place}`))
    if (missed.length > Object.keys(killAt).length / 10)
      this.#problems.push(...missed.map(([run, place]) => `${run} was never killed at "${place}"`))
  }

  /** A client asks again until it is told that the store has it. */
  async #insist<T>(ask: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      const answer = await quietly(ask)
      if (answer !== undefined || this.#isOver) return answer
      await pause(200)
    }
  }

  /** Undefined where they are damaged, which is a problem. */
  async #entriesOf(run: string): Promise<Entry[] | undefined> {
    try {
      return await readAll(this.#client.journal, run)
    } catch (error) {
      if (!MandateError.isInstance(error) || error.code !== 'JOURNAL_DAMAGED') throw error
      this.#problems.push(`${run}: ${error.message}`)
      return undefined
    }
  }

  async #check(): Promise<number> {
    const { journal } = this.#client
    let count = 0
    const found = await journal.list({ limit: 100_000 })
    for (const { run, state, waiting, suspendReason, wakeAt } of found) {
      const entries = await this.#entriesOf(run)
      if (entries === undefined) continue
      count += entries.length
      this.#problems.push(...verifyEntries(run, entries).problems.map((problem) => `${run}: ${problem}`))
      if (entries.some(({ seq }, index) => seq !== index + 1))
        this.#problems.push(`${run}: not one row for each number`)
      const seen = this.#seen.get(run)
      if (seen !== undefined && entries[seen.seq - 1]?.hash !== seen.hash)
        this.#problems.push(`${run}: the acknowledged entry ${seen.seq} is lost`)
      const isVisible = state === 'suspended' && waiting !== undefined && !this.#wasCutOff
      if (!isEnded(state) && !isVisible) {
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
      if (times > 1 && !isRepeatable(label)) this.#problems.push(`${label} was done ${times} times`)
    return count
  }
}

function isRepeatable(label: string): boolean {
  return label.endsWith('/look')
}

/** All of them, so many at a time. */
async function inTurn<T>(items: T[], width: number, act: (item: T) => Promise<void>): Promise<void> {
  const next = async (): Promise<void> => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: width }, next))
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
