import { describe, expect, it } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { inMemory } from '../../memory/index.ts'
import { textOf } from '../../model/index.ts'
import { Agent } from '../agent.ts'
import type { AgentConfig } from '../config/config-types.ts'
import { AgentService } from '../service/service.ts'
import { calls, hanging, model, tool } from '../agent.fixture.ts'

/** Tells what the user said so far, as the model was shown it. */
const told = () =>
  model(({ messages }) =>
    messages
      .filter(({ role }) => role === 'user')
      .map(textOf)
      .join(' '),
  )

/** A service as another process has it: it shares nothing but the journal. */
function process(journal: Journal, config: Partial<AgentConfig> = {}, clock?: Clock): AgentService {
  return new AgentService({ journal, clock, agents: [{ id: 'main', model: told(), ...config }] })
}

const text = async (run: PromiseLike<{ readonly text: string }>): Promise<string> => (await run).text

describe('a session whose id is given', () => {
  it('goes on from its newest run, whichever process and object made it', async () => {
    const journal = memoryJournal()
    expect(await text(process(journal).run('main', 'A', { sessionId: 's' }))).toBe('A')
    expect(await text(process(journal).run('main', 'B', { sessionId: 's' }))).toBe('A B')
    expect(await text(process(journal).createSession('main', { sessionId: 's' }).run('C'))).toBe('A B C')
    expect(await text(process(journal).runOnce('main', { sessionId: 's', prompt: 'D' }))).toBe('A B C D')
    const agent = new Agent({ id: 'main', model: told(), sessionId: 's' }, { journal })
    expect(await text(agent.run('E'))).toBe('A B C D E')
    expect(await text(agent.run('F'))).toBe('A B C D E F')
    expect(await text(process(journal).run('main', 'G', { sessionId: 'other' }))).toBe('G')
  })

  it('goes on from a run that had no session, under the id of that run', async () => {
    const service = process(memoryJournal())
    const { id, sessionId } = await service.run('main', 'A')
    expect(sessionId).toBe(id)
    expect(await text(service.run('main', 'B', { sessionId: id }))).toBe('A B')
  })

  it('alternates between two processes that both hold it', async () => {
    const journal = memoryJournal()
    const [one, other] = [process(journal), process(journal)].map((service) =>
      service.createSession('main', { sessionId: 's' }),
    )
    const said: string[] = []
    for (const prompt of ['A', 'B', 'C', 'D'])
      said.push(await text((said.length % 2 === 0 ? one! : other!).run(prompt)))
    expect(said).toEqual(['A', 'A B', 'A B C', 'A B C D'])
    expect(one!.history).toHaveLength(6)
  })

  it('goes on from the last of runs that began in one millisecond', async () => {
    const [journal, clock] = [memoryJournal(), manualClock()]
    const prompts = 'ABCDEFGH'.split('')
    for (const [index, prompt] of prompts.entries())
      expect(await text(process(journal, {}, clock).run('main', prompt, { sessionId: 's' }))).toBe(
        prompts.slice(0, index + 1).join(' '),
      )
  })

  it('is told only what the caller gives, where it gives a history', async () => {
    const clock = manualClock()
    const service = process(memoryJournal(), {}, clock)
    // Each began in a millisecond of its own.
    service.events.on('run-end', () => clock.advance(1))
    await service.run('main', 'A', { sessionId: 's' })
    expect(await text(service.run('main', 'B', { sessionId: 's', history: [] }))).toBe('B')
    expect(await text(service.run('main', 'C', { sessionId: 's' }))).toBe('B C')
    const session = service.createSession('main', { sessionId: 's' })
    session.clearHistory()
    expect(await text(session.run('D'))).toBe('D')
    expect(await text(session.run('E'))).toBe('D E')
  })

  it('goes on from a run that waits, and not from one that is under way, a fork, or a run of another agent', async () => {
    const journal = memoryJournal()
    const asking = model(({ messages }) =>
      messages.length === 1
        ? calls('pay')
        : messages
            .filter(({ role }) => role === 'user')
            .map(textOf)
            .join(' '),
    )
    const pay = tool('pay', () => 1, { needsApproval: true })
    const service = process(journal, { model: asking, tools: [pay] })
    const first = await service.run('main', 'A', { sessionId: 's' })
    expect(first.status).toBe('await_user')
    expect(await text(service.run('main', 'B', { sessionId: 's' }))).toBe('A B')

    const slow = hanging()
    const underWay = process(journal, { model: slow }).run('main', 'C', { sessionId: 's' })
    await slow.reached
    service.register({ id: 'another', model: told() })
    expect(await text(service.run('another', 'D', { sessionId: 's' }))).toBe('D')
    await service.resume(await service.fork(first.id))
    expect(await text(service.run('main', 'E', { sessionId: 's' }))).toBe('A B E')
    await underWay.cancel()
  })

  it('sent again under its run id is the same run, though the session has gone on', async () => {
    const journal = memoryJournal()
    const service = process(journal)
    await service.run('main', 'A', { sessionId: 's' })
    const first = await service.run('main', 'B', { sessionId: 's', runId: 'r' })
    await service.run('main', 'C', { sessionId: 's' })
    const again = await process(journal).run('main', 'B', { sessionId: 's', runId: 'r' })
    expect([again.id, again.text]).toEqual([first.id, 'A B'])
    await expect(service.run('main', 'X', { sessionId: 's', runId: 'r' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  })

  it('carries the labels of what was said', async () => {
    const journal = memoryJournal()
    await process(journal).run('main', 'A', { sessionId: 's', labels: ['untrusted:mail'] })
    expect((await process(journal).run('main', 'B', { sessionId: 's' })).labels).toContain('untrusted:mail')
  })

  it('says that it cannot go on when what was said has been erased', async () => {
    const journal = memoryJournal()
    const { id } = await process(journal).run('main', 'A', { sessionId: 's' })
    await journal.erase(id)
    await expect(process(journal).run('main', 'B', { sessionId: 's' })).rejects.toMatchObject({
      code: 'JOURNAL_ERASED',
      message: expect.stringContaining(`what was said in its last run (${id}) has been erased`),
    })
    expect(await text(process(journal).run('main', 'B', { sessionId: 's', history: [] }))).toBe('B')
  })

  it('of an agent with a memory is told what that recalls', async () => {
    const [journal, memoryClient] = [memoryJournal(), inMemory()]
    await process(journal, { memoryClient }).run('main', 'A', { sessionId: 's' })
    const talker = model('Fine.')
    await process(journal, { memoryClient, model: talker }).run('main', 'B', { sessionId: 's' })
    const [recalled, ...rest] = talker.requests[0]!.messages
    expect(textOf(recalled!)).toContain('"prompt":"A"')
    expect(rest.map(textOf)).toEqual(['B'])
  })

  it('of another identity is not read', async () => {
    const journal = memoryJournal()
    const service = process(journal)
    await service.as({ id: 'ana', roles: ['owner'] }).run('main', 'A', { sessionId: 's' })
    await expect(
      service.as({ id: 'bob', roles: ['owner'] }).run('main', 'B', { sessionId: 's' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
