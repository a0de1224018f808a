import { appendFileSync } from 'node:fs'
import { systemClock, delay } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { KernelOptions, Mind, RunContext } from '../../src/run/index.ts'
import type { Tool } from '../../src/tool/index.ts'

/** What a run of these minds is given. */
interface Task {
  /** How many tools are called, one after the other. */
  readonly steps?: number
  /** How long each takes. */
  readonly stepMs?: number
  readonly sleepMs?: number
}

function tool(name: string, run: Tool['run'], facts: Partial<Tool> = {}): Tool {
  return { name, inputSchema: {}, risk: 'read', validate: (input) => ({ valid: true, value: input }), run, ...facts }
}

async function steps(input: Json, context: RunContext): Promise<Json> {
  const { steps: count = 10, stepMs = 0 } = (input ?? {}) as Task
  for (let index = 0; index < count; index++)
    await context.perform({ kind: 'tool', name: 'step', input: { index, stepMs } })
  return count
}

async function paired(input: Json, context: RunContext): Promise<Json> {
  const { steps: count = 1, stepMs = 0 } = input as Task
  for (let index = 0; index < count; index++)
    await context.perform({ kind: 'tool', name: 'pair', input: { index, stepMs } })
  return count
}

const MINDS: readonly Mind[] = [
  { kind: 'program', name: 'steps', start: steps },
  // The same under names of their own, for queues of their own.
  ...['paired', 'paired-b', 'paired-c'].map((name) => ({ kind: 'program', name, start: paired }) as const),
  {
    kind: 'program',
    name: 'ask',
    start: async (input, context) => {
      await context.perform({ kind: 'tool', name: 'ask', input })
      return steps(input, context)
    },
  },
  {
    kind: 'program',
    name: 'nap',
    start: async (input, context) => {
      const ms = (input as Task).sleepMs ?? 0
      await context.perform({ kind: 'sleep', name: 'sleep', input: { until: context.now() + ms } })
      return 'awake'
    },
  },
  {
    kind: 'program',
    name: 'divided',
    start: async (input, context) => {
      const { steps: count = 2, stepMs = 0 } = input as Task
      const part = { kind: 'program', name: 'steps', input: { steps: 1, stepMs }, allot: { toolCalls: 1 } } as const
      const parts = Array.from({ length: count }, (_, index) => context.perform({ ...part, key: `part-${index}` }))
      return (await Promise.all(parts)).map(({ status }) => status)
    },
  },
  {
    kind: 'program',
    name: 'deadly',
    start: async (_, context) => {
      await context.perform({ kind: 'tool', name: 'die', input: null })
      return 'survived'
    },
  },
]

/** A kernel with these minds. Every call of a tool is a line of the file `log`: `run key process`, written when it is carried out. */
export function workKernel(
  options: KernelOptions,
  { log, only }: { log?: string | undefined; only?: string | undefined } = {},
): Kernel {
  const kernel = new Kernel(options)
  const note = (run: string, key: string): void =>
    log === undefined ? undefined : appendFileSync(log, `${run} ${key} ${process.pid}\n`)
  for (const mind of MINDS)
    if (only === undefined || only.split(',').includes(mind.name)) kernel.registry.registerMind(mind)
  const tools = [
    tool('step', async (input, { runId, idempotencyKey }) => {
      note(runId, idempotencyKey)
      await delay(systemClock, (input as Task).stepMs ?? 0)
      return 1
    }),
    // Says when it ends, too.
    tool('pair', async (input, { runId, idempotencyKey }) => {
      note(runId, idempotencyKey)
      await delay(systemClock, (input as Task).stepMs ?? 0)
      note(runId, 'ends')
      return 1
    }),
    tool('ask', (_, { runId, idempotencyKey }) => (note(runId, idempotencyKey), 1), { needsApproval: true }),
    // Idempotent, so that it is tried again after each death.
    tool('die', () => process.exit(9), { idempotent: true }),
  ]
  for (const each of tools) kernel.registry.registerTool(each)
  return kernel
}
