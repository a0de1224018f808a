import type { Mutation } from './mutation.ts'

const PLACE = 'src/chat/conversation'
const OPEN_TURN = `${PLACE}/open-turn.test.ts`
const STORES = 'test/chat/stores.test.ts'
const SERVED = 'src/server/http/routes/conversations.test.ts'

/** Conversations: what keeps a message from being lost or answered twice, and what is read of a turn that is open. */
export const CHAT_MUTATIONS: readonly Mutation[] = (
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
