// A worker in a process of its own, whose models speak word by word, or end at once.
import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { dbosEngine, restateEngine } from '../../src/engine/index.ts'
import type { RestateOptions } from '../../src/engine/restate/options.ts'
import { scripted } from '../../src/model/index.ts'
import type { Model } from '../../src/model/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { chainTeam } from '../../src/team/index.ts'

/** What the talkers say. */
export const SAID: string = Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ')
/** What they think before they speak. */
export const THOUGHT = 'Sixty words are asked for.'

/** What is given to the program of a worker. */
export interface TalkerOrder {
  readonly url: string
  readonly concurrency?: number | undefined
  readonly restate?: Omit<RestateOptions, 'store' | 'worker'> | undefined
}

/** A model that takes this long for each of its words, of which the first may be given. */
function model(gapMs: number, first = 'w0'): Model {
  return {
    ...scripted(['']),
    async *stream() {
      yield { type: 'reasoning-delta', text: THOUGHT }
      for (const [index, word] of SAID.split(' ').entries()) {
        if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs))
        yield { type: 'text-delta', text: index === 0 ? first : ` ${word}` }
      }
      yield { type: 'finish', reason: 'stop' }
    },
  }
}

/** The agents as all processes know them. */
export const TALKERS: readonly AgentConfig[] = [
  { id: 'talker', model: model(5) },
  { id: 'slow', model: model(50) },
  // Says something else in each process.
  { id: 'moody', model: model(50, `p${process.pid}`) },
  { id: 'quick', model: model(0) },
  // The answer of a team is no text of a model call of its own.
  ...chainTeam({
    id: 'team',
    members: [
      { id: 'draft', model: model(0) },
      { id: 'edit', model: model(5) },
    ],
  }),
  // Nor is that of a planner.
  { id: 'planned', planner: { plan: () => ({ type: 'finish', message: SAID }) } },
]

if (process.argv[2] !== undefined && import.meta.filename === process.argv[1]) {
  const { url, restate, concurrency } = JSON.parse(process.argv[2]) as TalkerOrder
  const engine =
    restate === undefined
      ? dbosEngine({ url, role: 'worker', concurrency })
      : restateEngine({ store: url, ...restate, worker: {} })
  const service = new AgentService({ store: await openPostgres({ url }), engine, agents: TALKERS })
  await service.start()
  process.stdout.write('up\n')
}
