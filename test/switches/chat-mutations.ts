import type { Mutation } from './mutation.ts'

const PLACE = 'src/chat/conversation'
const OPEN_TURN = `${PLACE}/open-turn.test.ts`
const STORES = 'test/chat/stores.test.ts'
const SERVED = 'src/server/http/routes/conversations.test.ts'

/** What keeps a message from being lost or answered twice, and what is read of a turn that is open. */
const TURNS: readonly Mutation[] = (
  [
    ['message-id', 'message-ids.ts', 'if (isKnown)', 'if (false)', SERVED],
    ['repeated-message', 'message-ids.ts', 'if (begun === undefined) return false', 'return false', SERVED],
    [
      'key-of-another',
      'message-ids.ts',
      'canonical(content) === canonical(message.content)',
      'content !== undefined',
      SERVED,
    ],
    ['own-session', 'turn-scene.ts', 'await as.checkSession(id)', '', STORES],
    ['unqueued', 'turn-claim.ts', 'if (!isPatient && (', 'if (false && (', SERVED],
    ['refused-message', 'conversation-turn.ts', '!isResumed && scene.hooks.choose === undefined', 'false', SERVED],
    ['ended-run', 'open-turn.ts', 'if (isOver && !isHeld)', 'if (false)', OPEN_TURN],
    ['held-answer', 'open-turn.ts', 'turn.isHeld === true && isClaimed', 'false', OPEN_TURN],
    ['fork-settles', 'conversation-fork.ts', 'await room.settled(by, of)', 'await room.owned(by, of)', OPEN_TURN],
  ] as const
).map(([name, file, find, replace, path]) => ({
  id: `chat.${name}`,
  room: 'chat',
  file: `${PLACE}/${file}`,
  find,
  replace,
  tests: [path],
}))

const CARELESS = 'test/chat/careless-host.test.ts'
const OPTIONS = 'src/chat/atlas/atlas-options.ts'
const STORED = 'src/chat/message/stored-message.ts'
const STORE = `${PLACE}/checked-store.ts`

/** What a host gave (interceptors, strategies, a store) cannot break a conversation; one that is broken is mended as it is read. */
const HOST: readonly Mutation[] = (
  [
    ['intercepted-nothing', OPTIONS, 'if (given === undefined)', 'if (given === undefined && name.length < 0)'],
    [
      'intercepted-shape',
      OPTIONS,
      'if (canonical(value) === canonical(before)) return before',
      'return value as never',
    ],
    ['intercepted-copy', OPTIONS, 'toPlain(current).value as ChatMessage', 'current'],
    ['intercepted-id', OPTIONS, "role === 'assistant' && read.id !== id", 'false'],
    ['interceptor-function', OPTIONS, "every((one) => typeof one === 'function')", "every((one) => one !== 'never')"],
    ['given-throws', 'src/chat/turn/turn-failure.ts', 'return await call()', 'return call()'],
    [
      'strategy-choice',
      'src/chat/atlas/atlas.ts',
      'else if (chosen !== null && chosen !== undefined)',
      'else if (false)',
    ],
    [
      'unchecked-answer',
      `${PLACE}/turn-end.ts`,
      'answer: null, error: asFailure(error)',
      'answer: made, error: asFailure(error)',
    ],
    ['mended-message', STORED, 'if (isChatMessage(stored)) return stored', 'return stored as ChatMessage'],
    [
      'mended-said',
      STORED,
      'if (Array.isArray(stored) && stored.every(isModelMessage)) return stored',
      'return stored as never',
    ],
    ['mended-head', STORE, 'this.#stored.set(mended, head)', ''],
    [
      'store-conflicts',
      `${PLACE}/conversation-keeper.ts`,
      'if (await this.store.write(head, before))',
      'if ((await this.store.write(head, before)) || conflicts > 99)',
    ],
    ['lost-prompt', `${PLACE}/turn-claim.ts`, 'state === undefined && isLost(head.turn.prompt)', 'false'],
    ['lost-continued', `${PLACE}/turn-scene.ts`, 'given === undefined && isLost(turn.prompt)', 'false'],
    ['store-written', STORE, "typeof isWritten !== 'boolean'", 'false'],
    ['store-blocks', STORE, 'if (!Array.isArray(blocks))', 'if (false)'],
    ['store-heads', STORE, "typeof stored['blocksId'] !== 'string'", 'false'],
    ['store-throws', STORE, 'return await call(this.#store)', 'return call(this.#store)'],
    ['own-conversation', STORED, 'if (at < 0) return', 'return'],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `chat.${name}`,
  room: 'chat',
  file,
  find,
  replace,
  tests: [CARELESS],
}))

/** Conversations. */
export const CHAT_MUTATIONS: readonly Mutation[] = [...TURNS, ...HOST]
