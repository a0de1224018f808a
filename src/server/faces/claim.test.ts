import { expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { Call } from '../http/route.ts'
import { claimConversation } from './claim.ts'

const claimed = { agentId: 'a', sessionId: 's', isMessage: true, stopping: 'DELETE' }

function callThatReads(runs: Promise<readonly RunSummary[]>): Call {
  return { service: { runs: () => runs } } as unknown as Call
}

it('of two messages one is answered, also when the store answers the other one late', async () => {
  const service = new AgentService()
  const slow = Promise.withResolvers<readonly RunSummary[]>()
  const first = claimConversation({ service }, callThatReads(slow.promise), claimed)
  const second = await claimConversation({ service }, callThatReads(Promise.resolve([])), claimed).catch(
    () => undefined,
  )
  // The run of the second has begun, and nothing that was read before knows it.
  second?.()
  slow.resolve([])
  const winners = [await first.catch(() => undefined), second].filter((release) => release !== undefined)
  expect(winners).toHaveLength(1)
})

it('a claim that is refused leaves the conversation free', async () => {
  const service = new AgentService()
  const running = callThatReads(Promise.resolve([{ state: 'running' } as RunSummary]))
  await expect(claimConversation({ service }, running, claimed)).rejects.toMatchObject({ code: 'RUN_STATE' })
  await expect(claimConversation({ service }, callThatReads(Promise.resolve([])), claimed)).resolves.toBeTypeOf(
    'function',
  )
})
