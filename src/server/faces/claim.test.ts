import { expect, it } from 'vitest'
import { AgentService, serviceAgent } from '../../agent/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
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
  second?.release()
  slow.resolve([])
  const winners = [await first.catch(() => undefined), second].filter((claim) => claim !== undefined)
  expect(winners).toHaveLength(1)
})

it('a claim that is refused leaves the conversation free', async () => {
  const service = new AgentService()
  const running = callThatReads(Promise.resolve([{ state: 'running' } as RunSummary]))
  await expect(claimConversation({ service }, running, claimed)).rejects.toMatchObject({ code: 'RUN_STATE' })
  await expect(claimConversation({ service }, callThatReads(Promise.resolve([])), claimed)).resolves.toBeDefined()
})

/** A server of its own over the same store. */
function place(journal = memoryJournal()) {
  const service = new AgentService({ journal, agents: [{ id: 'a', model: scripted(() => 'Yes.') }] })
  const send = async (prompt: string) => {
    const claim = await claimConversation({ service }, { service } as unknown as Call, claimed)
    const begin = async (): Promise<string> => {
      const { runId } = claim
      const streamed = await serviceAgent(service, 'a').stream({ prompt, options: { sessionId: 's', runId } })
      await claim.begun(streamed)
      await streamed.result
      return streamed.runId
    }
    return { ...claim, begin }
  }
  return { service, send, journal }
}

const refused = { code: 'RUN_STATE', message: expect.stringContaining('is being answered') }

it('of two messages that come to two processes at once one is answered, however late the other one begins', async () => {
  const here = place()
  const there = place(here.journal)
  const [one, other] = [await here.send('One?'), await there.send('Another?')]
  expect(other.runId).toBe(one.runId)
  const both = await Promise.allSettled([one.begin(), other.begin()])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused })
  const [first, second] = [await here.send('And now?'), await there.send('And now?')]
  await first.begin()
  // The same words are no other message's answer either.
  await expect(second.begin()).rejects.toMatchObject(refused)
  expect(await here.service.runs()).toHaveLength(2)
  const next = await there.send('And then?')
  expect(await next.begin()).toBe(next.runId)
})

it('a conversation goes on where the clock of another process is behind', async () => {
  const { service, send } = place()
  const first = await (await send('One?')).begin()
  await (await send('Two?')).begin()
  // What a process reads whose own run looks newer.
  const call = callThatReads(service.runs().then((runs) => runs.filter(({ run }) => run === first)))
  const { runId } = await claimConversation({ service }, call, claimed)
  expect((await service.runs()).map(({ run }) => run)).not.toContain(runId)
})
