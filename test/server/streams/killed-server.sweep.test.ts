import { expect, test } from 'vitest'
import { chatClients, conversationClients } from './killed-chats.ts'
import { eventClients, survivesKills } from './killed-clients.ts'

test('a server with a hundred runs is killed twice: no client loses or doubles an entry, and every text is whole', async () => {
  expect(await survivesKills(eventClients(100), { kills: 2, words: 400 })).toBe(100)
}, 240_000)

test('a server with a hundred conversations is killed: each client resumes without a lost or doubled entry, and each conversation has its answer once and goes on', async () => {
  expect(await survivesKills(conversationClients(100), { kills: 1, words: 200 })).toBe(100)
}, 240_000)

test('a server with a hundred chats is killed: the transport of useChat resumes each of them, and its answer is that of the journal', async () => {
  expect(await survivesKills(chatClients(100), { kills: 1, words: 200 })).toBe(100)
}, 240_000)
