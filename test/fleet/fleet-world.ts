import { seededRandom } from '../../src/core/index.ts'
import type { Json, Outcome } from '../../src/core/index.ts'
import type { ApprovalRequest, ApprovalResponse, Mind, RunContext } from '../../src/run/index.ts'
import type { Tool } from '../../src/tool/index.ts'
import type { Life, Timeline } from './timeline.ts'

/** The shapes of runs, small ones so that a million of them fit: in so many of a hundred. */
const SHAPES = [
  ['plain', 66],
  ['ask', 10],
  ['sleep', 8],
  ['parallel', 6],
  ['child', 6],
  ['apart', 4],
] as const
export type Shape = (typeof SHAPES)[number][0]

/** The shape of the run with that number. */
export function shapeOf(index: number): Shape {
  let rest = (index * 37) % 100
  for (const [shape, share] of SHAPES) if ((rest -= share) < 0) return shape
  return 'plain'
}

/** Of a hundred people two never answer. */
export function isIgnored(run: string): boolean {
  return seededRandom(`ignored ${run}`).next() < 0.02
}

/** Of ten things one is refused the first time. */
function isUnwilling(label: string): boolean {
  return seededRandom(`unwilling ${label}`).next() < 0.1
}

/** The outside world: what was really done in it, by run and label. */
export class FleetWorld {
  readonly #done = new Map<string, number>()
  readonly #timeline: Timeline
  acts = 0
  repeatedLooks = 0

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** The tools of one process. What was asked for is done outside, whatever becomes of the process; a process that dies may also never have asked. */
  tools(life: Life, isRepeated = false): Tool[] {
    const make = (name: string, facts: Partial<Tool> = {}): Tool => ({
      name,
      inputSchema: {},
      risk: 'write',
      validate: (input) => ({ valid: true, value: input }),
      // What failed without having done anything is tried again a little later, by whoever owns the run then.
      retry: { attempts: 3, backoffMs: 100 },
      run: (input, { attempt }) =>
        attempt === 1 && isUnwilling(String(input))
          ? this.#refuse(life)
          : this.#act(life, String(input), facts.idempotent === true),
      ...facts,
    })
    return [
      make('act', isRepeated ? { idempotent: true } : {}),
      make('ask', { needsApproval: true }),
      make('look', { idempotent: true }),
    ]
  }

  /** What people say: yes, and the truth about what is in doubt. */
  answer({ reason, input }: Pick<ApprovalRequest, 'reason' | 'input'>): ApprovalResponse {
    if (reason === 'approval') return { answer: 'approve' }
    return this.#done.has(String(input)) ? { answer: 'happened', value: 'done' } : { answer: 'not-happened' }
  }

  /** How often something was done. */
  count(label: string): number {
    return this.#done.get(label) ?? 0
  }

  forget(labels: Iterable<string>): void {
    for (const label of labels) this.#done.delete(label)
  }

  #refuse(life: Life): Promise<never> {
    return new Promise((_, reject) => {
      this.#timeline.after(5, () => life.pass(() => reject(new Error('not yet'))))
    })
  }

  #act(life: Life, label: string, isRepeatable: boolean): Promise<Json> {
    const random = seededRandom(`act ${label}`)
    const [first, second, fate] = [random.next() * 200, random.next() * 200, random.next()]
    return new Promise((resolve) => {
      this.#timeline.after(1 + first, () => {
        if (life.state === 'dead' && fate < 0.5) return
        this.acts += 1
        if (isRepeatable && this.count(label) > 0) this.repeatedLooks += 1
        this.#done.set(label, this.count(label) + 1)
        this.#timeline.after(1 + second, () => life.pass(() => resolve('done')))
      })
    })
  }
}

/** What a run of that shape does that must not happen twice. */
export function actsOf(run: string, shape: Shape): readonly string[] {
  const acts: Record<Shape, readonly string[]> = {
    plain: ['1'],
    ask: ['1'],
    sleep: ['1', '2'],
    parallel: ['1', '2'],
    child: ['1', 'below'],
    apart: ['1', 'below'],
  }
  return acts[shape].map((label) => `${run}/${label}`)
}

/** The minds of the fleet: programs of a few effects, with people, timers, parallel branches and children, some of them driven apart from their parents. */
export const minds: readonly Mind[] = [
  mind('plain', async (run, context) => act(context, 'act', `${run}/1`)),
  mind('ask', async (run, context) => act(context, 'ask', `${run}/1`)),
  mind('sleep', async (run, context) => {
    await act(context, 'act', `${run}/1`)
    const ms = 500 + seededRandom(`sleep ${run}`).next() * 20_000
    const until = await context.record('until', async () => Math.ceil(context.now() + ms))
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until } })
    return act(context, 'act', `${run}/2`)
  }),
  mind('parallel', async (run, context) => {
    const branches = [
      context.task('a', async (strand) => {
        await act(strand, 'look', `${run}/look`)
        return act(strand, 'act', `${run}/1`)
      }),
      context.task('b', (strand) => act(strand, 'act', `${run}/2`)),
    ]
    return Promise.all(branches)
  }),
  mind('child', async (run, context) => {
    await context.perform({ kind: 'program', name: 'below', input: run })
    return act(context, 'act', `${run}/1`)
  }),
  mind('apart', async (run, context) => {
    await context.perform({ kind: 'program', name: 'below', input: run, allot: { toolCalls: 1 } })
    return act(context, 'act', `${run}/1`)
  }),
  mind('below', async (run, context) => act(context, 'act', `${run}/below`)),
]

function mind(name: string, start: (run: string, context: RunContext) => Promise<Json>): Mind {
  return { kind: 'program', name, start: (input, context) => start(String(input), context) }
}

async function act(context: RunContext, tool: string, label: string): Promise<Json> {
  const outcome: Outcome<Json> = await context.perform({ kind: 'tool', name: tool, input: label })
  return outcome.status
}
