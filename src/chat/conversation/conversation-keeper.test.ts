import { expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { ConversationKeeper } from './conversation-keeper.ts'
import type { ConversationBlock, ConversationHead } from './conversation-record.ts'
import type { ConversationStore } from './conversation-store.ts'

it('keeps the blocks of conversations in memory up to a number of characters, those used last', async () => {
  const reads: string[] = []
  const content = [{ type: 'text', text: 'x'.repeat(1_000_000) }]
  const messages = [{ id: 'm', role: 'assistant', createdAt: 0, content }]
  const block = { messages, said: [] } as unknown as ConversationBlock
  const store = {
    async readBlocks(blocksId: string, from: number) {
      reads.push(`${blocksId} from ${from}`)
      return [block, block].slice(from)
    },
  } as unknown as ConversationStore
  const service = new AgentService()
  const keeper = new ConversationKeeper(service, store)
  const head = (id: number, blocks: number): ConversationHead =>
    ({ blocksId: `b${id}`, blocks }) as unknown as ConversationHead
  expect(await keeper.blocks(head(0, 1))).toHaveLength(1)
  expect(await keeper.blocks(head(0, 2))).toHaveLength(2)
  expect(await keeper.blocks(head(0, 1))).toHaveLength(1)
  expect(reads.splice(0)).toEqual(['b0 from 0', 'b0 from 1'])
  for (let id = 1; id <= 10; id++) await keeper.blocks(head(id, 2))
  reads.length = 0
  await keeper.blocks(head(10, 2))
  expect(reads).toEqual([])
  await keeper.blocks(head(0, 2))
  expect(reads).toEqual(['b0 from 0'])
  await service.stop()
})
