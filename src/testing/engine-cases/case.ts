import type { Json, Outcome } from '../../core/index.ts'
import { delay, systemClock } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import type { Engine, Mind, RunContext } from '../../run/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { TestApi } from '../test-api.ts'

/** One process on an engine: the journal and the engine of its kernel. */
interface EngineMember {
  readonly journal: Journal
  readonly engine: Engine
  /** Releases what `stop` of the kernel leaves open. */
  close?(): Promise<void>
}

/** An engine under test, with an empty queue and an empty journal. */
interface StartedEngine {
  /** Joins a new process. The suite runs one at a time, and stops it before the next one joins. */
  join(): Promise<EngineMember>
  /** Removes the engine. */
  stop(): Promise<void>
}

export interface EngineSubject {
  readonly name: string
  start(): Promise<StartedEngine>
}

/** A guarantee of every engine, with its check. */
export interface EngineCase {
  readonly name: string
  readonly check: (place: EnginePlace, expect: TestApi['expect']) => Promise<void>
}

export function guarantee(name: string, check: EngineCase['check']): EngineCase {
  return { name, check }
}

/** The engine under test, with the effects that its processes performed, and how often. */
export class EnginePlace {
  readonly done: Map<string, number> = new Map()
  readonly #started: StartedEngine
  readonly #joined: { readonly kernel: Kernel; readonly close: () => Promise<void> }[] = []

  constructor(started: StartedEngine) {
    this.#started = started
  }

  /** Joins a process and returns its kernel, with the given minds; those of the suite by default. */
  async join(minds: readonly Mind[] = MINDS): Promise<Kernel> {
    const member = await this.#started.join()
    const kernel = new Kernel({ journal: member.journal, engine: member.engine, limits: { liveSleepMs: 0 } })
    for (const each of minds) kernel.registry.registerMind(each)
    for (const tool of this.#tools()) kernel.registry.registerTool(tool)
    this.#joined.push({
      kernel,
      close: async () => {
        await kernel.stop()
        await member.close?.()
      },
    })
    await kernel.attach()
    return kernel
  }

  /** Stops a process gracefully. */
  async leave(kernel: Kernel): Promise<void> {
    const index = this.#joined.findIndex((each) => each.kernel === kernel)
    const [found] = this.#joined.splice(index, 1)
    await found!.close()
  }

  async end(): Promise<void> {
    for (const { close } of this.#joined.splice(0)) await close()
    await this.#started.stop()
  }

  #tools(): readonly Tool[] {
    const make = (name: string, facts: Partial<Tool>): Tool => ({
      name,
      inputSchema: {},
      risk: 'write',
      validate: (input) => ({ valid: true, value: input }),
      run: async (input) => {
        await delay(systemClock, 2)
        const label = input as string
        this.done.set(label, (this.done.get(label) ?? 0) + 1)
        return 'done'
      },
      ...facts,
    })
    return [make('act', {}), make('ask', { needsApproval: true })]
  }
}

/** The minds of the suite. Most count their effects under the id of their run. */
export const MINDS: readonly Mind[] = [
  mind('asking', async (_, context) => call(context, 'ask', context.runId)),
  mind('sleeping', async (ms, context) => {
    const until = context.now() + Number(ms)
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until } })
    return call(context, 'act', context.runId)
  }),
  mind('steered', async (_, context) => {
    await call(context, 'ask', context.runId)
    return call(context, 'act', context.steering().map(String).join(' '))
  }),
  mind('above', async (input, context) => {
    const below = await context.perform({ kind: 'program', name: 'asking', input })
    return [below.status, await call(context, 'act', context.runId)]
  }),
]

export function mind(name: string, start: Mind['start']): Mind {
  return { kind: 'program', name, start }
}

export async function call(context: RunContext, tool: string, input: Json): Promise<Json> {
  const outcome: Outcome<Json> = await context.perform({ kind: 'tool', name: tool, input })
  return outcome.status
}

/** Starts a run and waits until it ends or is suspended. */
export async function begin(kernel: Kernel, name: string, runId: string, input: Json = null): Promise<void> {
  await kernel.run({ kind: 'program', name, runId, input })
}

/** Approves all pending requests of a run. */
export async function approve(kernel: Kernel, run: string): Promise<void> {
  for (const { id } of await kernel.approvals(run)) await kernel.respond(id, { answer: 'approve' })
}

/** Waits until a run has ended, in whichever process, and returns its state. The time limit of the test framework ends the wait. */
export async function ended({ journal }: Kernel, run: string): Promise<string> {
  for (;;) {
    const state = (await journal.summary(run))?.state
    if (state !== undefined && isEnded(state)) return state
    await delay(systemClock, 5)
  }
}
