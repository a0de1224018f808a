// Many runs at once on one Postgres journal, in a process that is made to be killed. What it does to the world is a line in a file, which outlives it,
// and so is what the journal acknowledged to it.
import { appendFileSync, readFileSync } from 'node:fs'
import type { ApprovalRequest, ApprovalResponse, Mind } from '../../src/run/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import type { Tool } from '../../src/tool/index.ts'

export interface CrashOrder {
  readonly url: string
  readonly schema: string
  readonly runs: number
  readonly steps: number
  /** Lines `run/key`, one for every time that something was really done. */
  readonly world: string
  /** Lines `run seq hash`, one for every entry that was acknowledged. */
  readonly acks: string
}

const order = JSON.parse(process.argv[2]!) as CrashOrder

const mind: Mind = {
  kind: 'program',
  name: 'worker',
  async start(_, context) {
    const done: unknown[] = []
    for (let step = 0; step < order.steps; step++) {
      const outcomes = await Promise.all(
        ['act', 'look'].map((name) => context.perform<string>({ kind: 'tool', name, input: String(step) })),
      )
      done.push(outcomes.map((outcome) => (outcome.status === 'ok' ? outcome.value : outcome.status)))
    }
    return done as never
  },
}

function tool(name: string, isIdempotent: boolean): Tool {
  return {
    name,
    inputSchema: {},
    risk: 'read',
    idempotent: isIdempotent,
    validate: (input) => ({ valid: true, value: input }),
    async run(input, { idempotencyKey }) {
      await new Promise((resolve) => setTimeout(resolve, 1 + (idempotencyKey.length % 5)))
      if (!isIdempotent) appendFileSync(order.world, `${idempotencyKey}\n`)
      return `${name} ${String(input)}`
    },
  }
}

/** Notes what was acknowledged, as whoever waits for it would learn it. */
function acknowledged(journal: Journal): Journal {
  const append = async (...args: Parameters<Journal['append']>): Promise<void> => {
    await journal.append(...args)
    appendFileSync(order.acks, args[2].map(({ run, seq, hash }) => `${run} ${seq} ${hash}\n`).join(''))
  }
  return new Proxy(journal, {
    get(target, name) {
      const member = name === 'append' ? append : (target as unknown as Record<PropertyKey, unknown>)[name]
      return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member
    },
  })
}

/** The human, who asks the world about what is in doubt. */
async function answer({ reason, run, key }: ApprovalRequest): Promise<ApprovalResponse> {
  if (reason !== 'in-doubt') throw new Error(`Nobody expected ${reason}.`)
  const happened = readFileSync(order.world, 'utf8').includes(`${run}/${key}\n`)
  return happened ? { answer: 'happened', value: 'act after all' } : { answer: 'not-happened' }
}

const store = postgresJournal({ url: order.url, schema: order.schema })
const kernel = new Kernel({ journal: acknowledged(store), onApproval: answer })
kernel.registry.registerMind(mind)
for (const one of [tool('act', false), tool('look', true)]) kernel.registry.registerTool(one)

async function carry(runId: string): Promise<string> {
  return (await kernel.run({ kind: 'program', name: 'worker', input: null, runId, seed: 'crash' })).state
}

const states = await Promise.all(Array.from({ length: order.runs }, (_, index) => carry(`run_${index}`)))
await kernel.stop()
await store.close()
const counts: Record<string, number> = {}
for (const state of states) counts[state] = (counts[state] ?? 0) + 1
process.stdout.write(JSON.stringify(counts))
