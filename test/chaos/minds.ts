import { appendFileSync, readFileSync } from 'node:fs'
import type { Json, Outcome } from '../../src/core/index.ts'
import type { ApprovalRequest, ApprovalResponse, Mind, RunContext } from '../../src/run/index.ts'
import type { Tool } from '../../src/tool/index.ts'

/** The runs of the suite: parallel chains, children, people and timers. */
const SHAPES = ['chains', 'child', 'ask', 'sleep', 'steps'] as const

export function shapeOf(index: number): string {
  return SHAPES[index % SHAPES.length]!
}

/** What was done outside, one line each, in a file that outlives every process. */
export function readWorld(log: string): ReadonlyMap<string, number> {
  const done = new Map<string, number>()
  for (const label of readFileSync(log, 'utf8').split('\n').filter(Boolean)) done.set(label, (done.get(label) ?? 0) + 1)
  return done
}

/** What people say: yes, and the truth about what is in doubt. */
export function answerTo(
  request: Pick<ApprovalRequest, 'reason' | 'input' | 'run' | 'name'>,
  log: string,
): ApprovalResponse {
  const { reason, input, run, name } = request
  if (reason !== 'in-doubt') return { answer: 'approve' }
  return readWorld(log).has(typeof input === 'string' ? input : `${run}/${name}`)
    ? { answer: 'happened', value: 'done' }
    : { answer: 'not-happened' }
}

export function toolsOf(log: string, pass: (run: string, place: string) => void = () => {}): readonly Tool[] {
  const make = (name: string, facts: Partial<Tool> = {}): Tool => ({
    name,
    inputSchema: {},
    risk: 'write',
    validate: (input) => ({ valid: true, value: input }),
    async run(input) {
      const [run, label] = String(input).split(/\/(.*)/su) as [string, string]
      pass(run, `before ${label} is done`)
      await pause(10)
      appendFileSync(log, `${input as string}\n`)
      await pause(10)
      pass(run, `after ${label} was done`)
      return 'done'
    },
    ...facts,
  })
  return [make('act'), make('ask', { needsApproval: true }), make('look', { idempotent: true })]
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms * (0.5 + Math.random())))
}

export const minds: readonly Mind[] = [
  mind('steps', async (context) => {
    for (let step = 0; step < 10; step++) await act(context, step % 3 === 0 ? 'look' : 'act', step)
    return 'through'
  }),
  mind('chains', async (context) =>
    Promise.all(
      ['a', 'b', 'c'].map((name) =>
        context.task(name, async (strand) => {
          await act(strand, 'act', `${name}1`)
          return act(strand, 'act', `${name}2`)
        }),
      ),
    ),
  ),
  mind('child', async (context) => {
    // The second one is driven by whichever worker has room.
    const children = [{}, { allot: { toolCalls: 2 } }].map((more, number) =>
      context.perform({ kind: 'program', name: 'below', input: number + 1, ...more }),
    )
    const outcomes = await Promise.all(children)
    return [outcomes.map(({ status }) => status), await act(context, 'act', 'after')]
  }),
  mind('below', async (context) => {
    await act(context, 'act', 'one')
    return act(context, 'act', 'two')
  }),
  mind('ask', async (context) => {
    await act(context, 'act', 'before')
    return act(context, 'ask', 'asked')
  }),
  /** Long, and nothing in it is ever in doubt. */
  mind('looks', async (context) => {
    for (let step = 0; step < 500; step++) await act(context, 'look', step)
    return 'through'
  }),
  /** A little of everything, one after the other: each place that a run can be at is passed once. */
  mind('whole', async (context) => {
    await act(context, 'look', 'first')
    await act(context, 'act', 'second')
    await context.perform({ kind: 'program', name: 'below', input: null })
    await act(context, 'ask', 'asked')
    const until = await context.record('until', async () => context.now() + 700)
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until } })
    return act(context, 'act', 'last')
  }),
  mind('sleep', async (context) => {
    await act(context, 'act', 'before')
    const until = await context.record('until', async () => context.now() + 700)
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until } })
    return act(context, 'act', 'after')
  }),
]

function mind(name: string, start: (context: RunContext) => Promise<Json>): Mind {
  return { kind: 'program', name, start: (_, context) => start(context) }
}

async function act(context: RunContext, tool: string, step: number | string): Promise<Json> {
  const input = `${context.runId}/${step}${tool === 'look' ? '/look' : ''}`
  const outcome: Outcome<Json> = await context.perform({ kind: 'tool', name: tool, input })
  return outcome.status
}
