import { MandateError } from '../../core/index.ts'
import type { Identity, Journal } from '../../journal/index.ts'
import { withFiles } from '../../run/index.ts'
import type { ConversationBlock, ConversationHead } from './conversation-record.ts'
import type { ConversationRoom } from './conversation-room.ts'

interface Fork {
  /** The id of the new conversation. */
  readonly id: string
  /** Number of turns to copy; a negative number leaves out that many of the last turns. */
  readonly turns: number | undefined
}

/** Creates a conversation from the turns of another. A running or suspended turn is not copied. */
export async function forkConversation(
  room: ConversationRoom,
  by: Identity,
  of: string,
  { id, turns }: Fork,
): Promise<ConversationHead> {
  const { keeper } = room
  const before = await room.settled(by, of)
  const blocks = firstTurns(await keeper.blocks(before), turns, before.turn !== null)
  const metadata = { ...before.metadata, forkedFrom: of }
  // The head is written first: if its id belongs to another conversation, that one's blocks must not be touched.
  const { blocksId } = await room.create(by, { id, agentId: before.agentId, metadata })
  const { journal } = room.service
  for (const [index, block] of blocks.entries())
    await keeper.store.writeBlock(blocksId, index, await withOwnFiles(journal, block))
  return keeper.change(id, (head) => ({ ...head, blocks: blocks.length }))
}

/** Returns the blocks of the first turns, with the messages that were appended between them. An open turn counts as the last one but is not copied. */
function firstTurns(
  blocks: readonly ConversationBlock[],
  turns: number | undefined,
  isOpen: boolean,
): readonly ConversationBlock[] {
  if (turns === undefined) return blocks
  const ends = blocks.flatMap(({ runId }, index) => (runId === undefined ? [] : [index + 1]))
  const all = ends.length + (isOpen ? 1 : 0)
  const wanted = turns < 0 ? all + turns : turns
  if (wanted >= 0 && wanted <= ends.length) return blocks.slice(0, wanted === 0 ? 0 : ends[wanted - 1])
  const open = isOpen ? ', the last of which is not over' : ''
  const range = all === 0 ? 'Give 0.' : `Give a number from ${-all} to ${ends.length}.`
  throw new MandateError(
    'INPUT_INVALID',
    `The conversation has ${all} ${all === 1 ? 'turn' : 'turns'}${open}; \`turns\` is ${turns}. ${range}`,
  )
}

/** Embeds the bytes of a block's large files: they are stored with a run of the original conversation, which runs of the copy cannot refer to. */
async function withOwnFiles(journal: Journal, block: ConversationBlock): Promise<ConversationBlock> {
  const { runId, said: messages } = block
  return runId === undefined ? block : { ...block, said: (await withFiles(journal, runId, { messages })).messages }
}
