import { AgentService, kernelOf } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { manualClock } from '../../src/core/index.ts'
import type { Json, ManualClock } from '../../src/core/index.ts'
import type { Mandate } from '../../src/gate/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { ApprovalResponse, Engine } from '../../src/run/index.ts'
import { offersOf } from '../../src/server/mcp/offer.ts'
import { registerProgram, script } from '../../src/vm/index.ts'

/** The call that is answered, and one that is made at the same time. The sibling is asked for first. */
export const SUBJECT = { to: 'subject', amount: 1_000 }
export const SIBLING = { to: 'sibling', amount: 1 }
/** How long a request stays open. */
export const TTL = 600_000

/** What may be different in the process that goes on with the run. */
export interface Changed {
  readonly needsApproval?: boolean
  readonly mandate?: Mandate
}

export interface Deed {
  readonly to: string
  readonly amount: number
}

/** A way to both calls: how it is started and gone on with in a process. */
export interface Path {
  start(service: AgentService): Promise<unknown>
  resume(service: AgentService, run: string): Promise<unknown>
}

export interface World {
  readonly deeds: Deed[]
  readonly clock: ManualClock
  /** Answers from a process that drives nothing. */
  respond(to: string, response: ApprovalResponse): Promise<unknown>
  resume(changed: Changed): Promise<void>
  /** Forks the run and lets the fork go as far as it can. */
  fork(): Promise<void>
  /** What `verify` has against any run. */
  problems(): Promise<readonly string[]>
}

const RUN = 'run_1'
const owner = { id: 'ana', roles: ['owner'] }
const calls = { toolCalls: [SIBLING, SUBJECT].map((input) => ({ name: 'pay', input })) }
const SOURCE = `return await Promise.all([
  tools.pay(${JSON.stringify(SIBLING)}).catch(() => 'no'),
  tools.pay(${JSON.stringify(SUBJECT)}).catch(() => 'no'),
])`

/** Drives nothing by itself: the test says when the run goes on. */
const nowhere: Engine = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}

const asAgent = (id: string): Path => ({
  start: (service) => service.run(id, 'Pay.', { runId: RUN }),
  resume: (service, run) => service.resume(run),
})

const asProgram = (program: Parameters<typeof registerProgram>[1]): Path => ({
  start: async (service) => {
    const name = await registerProgram(service, program, { name: 'payments' })
    return kernelOf(service).run({ kind: 'program', name, input: {}, runId: RUN })
  },
  resume: async (service, run) => {
    await registerProgram(service, program, { name: 'payments' })
    return kernelOf(service).resume(run)
  },
})

const begin = { runId: RUN, identity: owner, signal: new AbortController().signal }
const offered = async (service: AgentService) =>
  (await offersOf({ service, programs: [{ name: 'payments', program: SOURCE }] })).get('payments')!

export const PATHS: { readonly [name: string]: Path } = {
  'tool call of an agent': asAgent('main'),
  script: asProgram(SOURCE),
  'program as JSON': asProgram(JSON.parse(JSON.stringify(script(SOURCE))) as Parameters<typeof registerProgram>[1]),
  'child agent': asAgent('manager'),
  'call of an MCP server': {
    start: async (service) => (await offered(service)).start({}, begin),
    resume: async (service, runId) => (await offered(service)).resume({ ...begin, runId }),
  },
}

function serviceOf(world: { journal: Journal; clock: ManualClock; deeds: Deed[] }, changed: Changed): AgentService {
  const { journal, clock, deeds } = world
  const pay = defineTool({
    name: 'pay',
    risk: 'write',
    inputSchema: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } } },
    ...(changed.needsApproval === false ? {} : { needsApproval: true }),
    run: (input: Json) => (deeds.push(input as unknown as Deed), 'paid'),
  })
  const main: AgentConfig = { id: 'main', model: scripted([calls, 'Done.']), tools: [pay] }
  const manager: AgentConfig = {
    id: 'manager',
    model: scripted([{ toolCalls: [{ name: 'main', input: { prompt: 'Pay.' } }] }, 'Done.']),
    agents: ['main'],
  }
  return new AgentService({
    ...{ journal, clock, engine: nowhere, tools: [pay], agents: [main, manager] },
    limits: { approvalTtlMs: TTL },
    mandate: { grant: ['*'], ...changed.mandate },
  })
}

/** A run that waits for an answer about the subject, after its process has ended. */
export async function openWorld(path: Path, changed: Changed): Promise<World> {
  const journal = memoryJournal()
  const clock = manualClock(1_000)
  const deeds: Deed[] = []
  const parts = { journal, clock, deeds }
  const desk = new Kernel({ journal, clock, engine: nowhere })
  const within = async (more: Changed, work: (service: AgentService) => Promise<unknown>): Promise<void> => {
    const service = serviceOf(parts, more)
    try {
      await work(service)
    } finally {
      await service.stop()
    }
  }
  await within(changed, (service) => path.start(service))
  return {
    deeds,
    clock,
    async respond(to, response) {
      const request = (await desk.approvals(RUN)).find(({ input }) => (input as unknown as Deed).to === to)
      if (request === undefined) throw new Error(`Nothing about the ${to} is asked.`)
      return desk.respond(request.id, response)
    },
    resume: (more) => within(more, (service) => path.resume(service, RUN)),
    fork: () =>
      within({}, async (service) => {
        await path.resume(service, await service.fork(RUN))
      }),
    async problems() {
      const runs = await journal.list({ limit: 100 })
      return (await Promise.all(runs.map(({ run }) => desk.verify(run)))).flatMap(({ problems }) => problems)
    },
  }
}
