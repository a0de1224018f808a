import { expect, test } from 'vitest'
import { eventClients, survivesKills } from './killed-clients.ts'

test('a server that is killed in the middle of answers, and started again, goes on where each client stands', async () => {
  expect(await survivesKills(eventClients(3), { kills: 1, words: 30 })).toBe(3)
}, 60_000)
