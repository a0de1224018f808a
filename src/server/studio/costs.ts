import type { Json } from '../../core/index.ts'
import { entriesOfType } from '../../journal/index.ts'
import type { Entry, RunSummary, Spend } from '../../journal/index.ts'
import type { Call, Route } from '../http/route.ts'
import { allEntries } from './all-entries.ts'

/** The number of latest runs that are counted, so that the time of a request does not grow with the store. */
const RUNS = 300

/** The cost of all calls of one model in one run. */
interface Cost {
  readonly run: string
  readonly agent: string
  readonly at: number
  readonly model: string
  readonly calls: number
  readonly money: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The input tokens that the provider had cached. */
  readonly cachedTokens: number
  /** A provider did not report some of these tokens. */
  readonly estimated: boolean
}

const NUMBER = { type: 'number' }
const TEXT = { type: 'string' }

/** Returns the route `GET /api/costs`: what the latest runs spent, by run and model. The result of a run is cached until the run changes. */
export function costsRoute(): Route {
  const known = new Map<string, { readonly hash: string; readonly costs: readonly Cost[] }>()
  return {
    method: 'GET',
    path: '/api/costs',
    summary: 'What the latest runs spent, by run and model.',
    tag: 'studio',
    access: 'identity',
    answer: {
      status: 200,
      schema: {
        type: 'object',
        properties: {
          costs: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                run: TEXT,
                agent: TEXT,
                at: NUMBER,
                model: TEXT,
                money: NUMBER,
                estimated: { type: 'boolean' },
              },
            },
          },
          runs: { type: 'integer' },
          unreadable: { type: 'array', items: TEXT },
        },
        required: ['costs', 'runs', 'unreadable'],
      },
    },
    async handle({ service }: Call): Promise<Json> {
      const runs = await service.runs({ limit: RUNS })
      const costs: Cost[] = []
      const unreadable: string[] = []
      for (const summary of runs) {
        const before = known.get(summary.run)
        try {
          const found =
            before?.hash === summary.head.hash ? before.costs : costsOf(summary, await allEntries(service, summary.run))
          known.set(summary.run, { hash: summary.head.hash, costs: found })
          costs.push(...found)
        } catch {
          unreadable.push(summary.run)
        }
      }
      for (const run of known.keys()) if (known.size > 2 * RUNS) known.delete(run)
      return { costs: costs as unknown as Json, runs: runs.length, unreadable }
    },
  }
}

/** Sums the model calls of a run by model. The cost of a child run is counted in the child, whose own entries contain it. */
function costsOf({ run, name, createdAt }: RunSummary, entries: readonly Entry[]): readonly Cost[] {
  const byModel = new Map<string, Cost>()
  for (const { at, key = '', data } of entriesOfType(entries, 'effect-end')) {
    const { model } = (data.meta as { readonly performed?: { readonly model?: string } } | undefined)?.performed ?? {}
    if (model === undefined || !key.endsWith('model')) continue
    const cost = added(byModel.get(model) ?? empty(run, name, at ?? createdAt, model), data.spent)
    byModel.set(model, { ...cost, cachedTokens: cost.cachedTokens + cachedIn(data.outcome) })
  }
  return [...byModel.values()]
}

/** Returns the cached input tokens from the model's reply, because budgets do not record them. */
function cachedIn(outcome: object): number {
  const { usage } = ((outcome as { readonly value?: unknown }).value ?? {}) as {
    readonly usage?: { readonly cachedInputTokens?: number }
  }
  return usage?.cachedInputTokens ?? 0
}

function empty(run: string, agent: string, at: number, model: string): Cost {
  return {
    run,
    agent,
    at,
    model,
    calls: 0,
    money: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    estimated: false,
  }
}

function added(cost: Cost, { money = 0, inputTokens = 0, outputTokens = 0, estimated }: Spend): Cost {
  return {
    ...cost,
    calls: cost.calls + 1,
    money: cost.money + money,
    inputTokens: cost.inputTokens + inputTokens,
    outputTokens: cost.outputTokens + outputTokens,
    estimated: cost.estimated || estimated === true,
  }
}
