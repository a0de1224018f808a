import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { EventBus } from '../../core/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { TextRelay } from './text-relay.ts'

test('a worker that speaks of a run for others does not ask for its texts itself, which would keep it speaking for ever', async () => {
  const asked: string[] = []
  const connection = Object.assign(new EventEmitter(), {
    unref: () => {},
    end: async () => {},
    query: async (sql: string, [channel = '', runs = []]: [string?, string[]?] = []) => {
      if (sql.includes('pg_notify') && channel.includes('_wants_')) asked.push(...runs)
      return { rows: [] }
    },
  })
  const link = { options: { schema: 's' }, connect: async () => connection } as unknown as PostgresLink
  const events = new EventBus()
  const relay = new TextRelay({ host: { events } as unknown as EngineHost, link, isWorker: true })
  onTestFinished(() => relay.stop())
  await relay.start()
  connection.emit('notification', { channel: 'mandate_wants_x', payload: 'spoken' })
  expect(events.followed()).toEqual([['spoken', 1]])
  // What somebody follows here is asked for with the next round, and nothing else.
  events.onRun('followed', () => {})
  await expect.poll(() => asked).toEqual(['followed'])
})
