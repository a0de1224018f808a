// An owner that is stopped in the middle of everything that can be waited for. Every time it touches the world it appends a line to a file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Clock, Json } from '../../src/core/index.ts'
import { readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { ApprovalRequest, ApprovalResponse, Mind } from '../../src/run/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import type { Tool } from '../../src/tool/index.ts'

export interface OwnerTask {
  readonly store: { readonly path: string } | { readonly url: string; readonly schema: string }
  /** Lines `process key attempt`, one for every time that something was really done. */
  readonly world: string
  readonly leaseMs: number
}

/** Waits for its turn, for its next attempt, for a person, for a timer: one run for each. */
export const RUNS = ['queue', 'retry', 'approval', 'timer'] as const

const call = (name: string, input: Json) => ({ kind: 'tool', name, input }) as const

const minds: readonly Mind[] = [
  mind('queue', (context) => Promise.all(['held', 'b', 'c'].map((input) => context.perform(call('act', input))))),
  mind('retry', (context) => context.perform(call('flaky', 'retried'))),
  mind('approval', (context) => context.perform(call('deploy', 'approved'))),
  mind('timer', async (context) => {
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until: context.now() + 1_600 } })
    return context.perform(call('look', 'awake'))
  }),
]

function mind(name: string, think: (context: Parameters<Mind['start']>[1]) => Promise<unknown>): Mind {
  return { kind: 'program', name, start: async (_, context) => (await think(context)) as Json }
}

/** What this process does to the world, and what holds it up there: absent for one that goes straight through. */
export interface World {
  readonly file: string
  readonly name: string
  readonly until?: (() => boolean) | undefined
}

async function held(until: () => boolean): Promise<void> {
  while (!until()) await new Promise((resolve) => setTimeout(resolve, 5))
}

function toolsFor({ file, name: owner, until }: World): Tool[] {
  const make = (name: string, more: Partial<Tool> = {}): Tool => ({
    name,
    inputSchema: {},
    risk: 'read',
    validate: (input) => ({ valid: true, value: input }),
    async run(input, { idempotencyKey, attempt }) {
      appendFileSync(file, `${owner} ${idempotencyKey} ${attempt}\n`)
      if (until !== undefined && input === 'held') await held(until)
      if (until !== undefined && name === 'flaky') throw new Error('Try again.')
      return input
    },
    ...more,
  })
  return [
    make('act'),
    make('flaky', { retry: { attempts: 3, backoffMs: 1_300 } }),
    make('deploy', { needsApproval: true, idempotent: true }),
    make('look', { idempotent: true }),
  ]
}

/** A kernel over the shared journal; `clock` may differ from that of the others. */
export function ownerKernel(journal: Journal, world: World, leaseMs: number, clock?: Clock): Kernel {
  const answer = async ({ reason, run, key }: ApprovalRequest): Promise<ApprovalResponse> => {
    if (reason === 'in-doubt') {
      const happened = readFileSync(world.file, 'utf8').includes(` ${run}/${key} `) && run === 'queue'
      return happened ? { answer: 'happened', value: 'held' } : { answer: 'not-happened' }
    }
    if (world.until !== undefined) await held(world.until)
    return { answer: 'approve' }
  }
  const limits = { parallel: 1, leaseMs, liveSleepMs: 60_000 }
  const kernel = new Kernel({ journal, onApproval: answer, limits, ...(clock === undefined ? {} : { clock }) })
  for (const one of minds) kernel.registry.registerMind(one)
  for (const tool of toolsFor(world)) kernel.registry.registerTool(tool)
  return kernel
}

export function openStore(store: OwnerTask['store']): Journal {
  return 'path' in store ? sqliteJournal({ ...store, watchIntervalMs: 5 }) : postgresJournal(store)
}

/** What the journal of each run holds once the run waits. */
const WAITING = { queue: 'effect-start', retry: 'effect-retry', approval: 'approval-request', timer: 'effect-start' }

/** Stops this process, as a debugger or an overloaded machine would, as soon as every run waits. */
async function stopWhenAllWait(journal: Journal): Promise<void> {
  for (const run of RUNS) {
    const isThere = async (): Promise<boolean> =>
      (await readAll(journal, run)).some(({ type }) => type === WAITING[run])
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  process.stdout.write('stopped\n')
  process.kill(process.pid, 'SIGSTOP')
}

async function main({ store, world, leaseMs }: OwnerTask): Promise<void> {
  const journal = openStore(store)
  const until = (): boolean => existsSync(`${world}.go`)
  const kernel = ownerKernel(journal, { file: world, name: 'first', until }, leaseMs)
  const runs = RUNS.map((name) => kernel.run({ kind: 'program', name, input: null, runId: name, seed: name }))
  await stopWhenAllWait(journal)
  const ended = await Promise.allSettled(runs)
  await kernel.stop()
  await journal.close()
  const said = ended.map((each) => (each.status === 'fulfilled' ? each.value.state : (each.reason as Error).message))
  process.stdout.write(JSON.stringify(said))
}

if (process.argv[1]?.endsWith('owner.fixture.ts') === true) await main(JSON.parse(process.argv[2]!) as OwnerTask)
