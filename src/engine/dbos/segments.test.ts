import { expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import type { EngineHost, RunOutcome } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { Segments } from './segments.ts'
import type { Order } from './segments.ts'

const ORDER: Order = { run: 'r', cause: 'start', fromSeq: 1, round: 0 }

interface Given {
  readonly segment?: () => Promise<RunOutcome>
  readonly summary?: () => Promise<unknown>
  readonly isDraining?: boolean
  /** How often the queue cannot be reached. */
  readonly failures?: number
  readonly refusal?: 'STORE_FAILED' | 'CLOSED'
}

/** Drives one segment, and gives what was put back and what was told. */
async function driven({
  segment,
  summary,
  isDraining = false,
  failures = 0,
  refusal = 'STORE_FAILED',
}: Given): Promise<{
  readonly orders: readonly Order[]
  readonly faults: readonly string[]
}> {
  const orders: Order[] = []
  const faults: string[] = []
  let left = failures
  const host = {
    clock: { now: () => 1_000 },
    journal: { summary: summary ?? (async () => ({ state: 'running', head: { seq: 1 } })) },
    obstacle: async () => undefined,
    notify: () => false,
    isWanted: async () => false,
    segment: segment ?? (async () => ({ state: 'completed' })),
    onFault: (_: string, error: Error) => faults.push(error.message),
  } as unknown as EngineHost
  const link = { table: (name: string) => name, query: async () => ({ rows: [], count: 0 }) } as unknown as PostgresLink
  const enqueue = async (order: Order): Promise<void> => {
    if (left-- > 0) throw new MandateError(refusal, 'The database is away.')
    orders.push(order)
  }
  await new Segments({ host, link, enqueue, isDraining: () => isDraining }).drive(ORDER)
  return { orders, faults }
}

test('a segment that is handed over is not over before its successor is stored, however often that takes', async () => {
  const segment = async (): Promise<RunOutcome> => ({ state: 'suspended', run: 'r', reason: 'interrupt', pending: [] })
  expect(await driven({ segment, isDraining: true, failures: 2 })).toEqual({
    orders: [{ ...ORDER, round: 1 }],
    faults: ['The database is away.', 'The database is away.'],
  })
})

test('a segment that could not even be looked at is tried again', async () => {
  const summary = (): Promise<never> => Promise.reject(new MandateError('STORE_FAILED', 'No answer.'))
  const { orders, faults } = await driven({ summary })
  expect(orders).toEqual([{ ...ORDER, round: 1, at: 3_000 }])
  expect(faults).toEqual(['No answer.'])
})

test('a segment that can be put back no more, because its engine is closed, is left to the other workers', async () => {
  const segment = (): Promise<never> => Promise.reject(new MandateError('STORE_FAILED', 'No answer.'))
  await expect(driven({ segment, refusal: 'CLOSED', failures: 9 })).rejects.toMatchObject({ code: 'CLOSED' })
})
