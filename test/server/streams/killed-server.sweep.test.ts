import { expect, test } from 'vitest'
import { survivesKills } from './killed-clients.ts'

test('a server with a hundred conversations is killed twice: no client loses or doubles an entry, and every text is whole', async () => {
  expect(await survivesKills({ runs: 100, kills: 2, words: 400 })).toBe(100)
}, 240_000)
