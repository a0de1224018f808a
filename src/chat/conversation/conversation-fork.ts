import { MandateError } from '../../core/index.ts'
import type { Identity, Journal } from '../../journal/index.ts'
import { withFiles } from '../../run/index.ts'
import type { ConversationBlock, ConversationHead } from './conversation-record.ts'
import type { ConversationRoom } from './conversation-room.ts'

interface Fork {
  /** The id of the new conversation. */
  readonly id: string
  /** How many turns it has; without so many of the last ones where it is negative. */
  readonly turns: number | undefined
}

/** Makes a new conversation of the turns of another. A turn that is under way or waits is not among them. */
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
  // First the head: its id may be another conversation's, whose blocks must not be touched.
  const { blocksId } = await room.create(by, { id, agentId: before.agentId, metadata })
  const { journal } = room.service
  for (const [index, block] of blocks.entries())
    await keeper.store.writeBlock(blocksId, index, await withOwnFiles(journal, block))
  return keeper.change(id, (head) => ({ ...head, blocks: blocks.length }))
}

/** The blocks up to a turn, with what was added alone before it. A turn that is open is the last one, which counts but is not copied. */
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

/** A block with the bytes of its large files: they are kept with a run of the other conversation, which those of this one cannot refer to. */
async function withOwnFiles(journal: Journal, block: ConversationBlock): Promise<ConversationBlock> {
  const { runId, said: messages } = block
  return runId === undefined ? block : { ...block, said: (await withFiles(journal, runId, { messages })).messages }
}
