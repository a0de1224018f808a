import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { httpServer, studioPart } from '../../src/server/index.ts'
import { builtStudio } from './studio.fixture.ts'

const SECRET = 'a secret of tests, long enough to sign with'

interface Facts {
  readonly facts: Readonly<
    Record<
      string,
      {
        readonly asked: string
        readonly money: number
        readonly activeMs?: number
        readonly denials: readonly { readonly name: string; readonly rule: string; readonly seq: number }[]
      }
    >
  >
}

describe('what the studio asks its server', () => {
  const drop = defineTool({ name: 'drop', risk: 'read', run: () => 'dropped' })
  const usage = { inputTokens: 100, outputTokens: 0 }
  const dropping = [
    { toolCalls: [{ name: 'drop', input: {} }], usage },
    { text: 'Done.', usage },
  ]
  const rule = (then: 'deny' | 'ask') => ({
    rules: [{ id: `${then}-drop`, when: 'tool == "drop"', then, reason: 'Never.' }],
  })
  /** From which entries on a run was read. */
  const reads: number[] = []
  const kept = memoryJournal()
  const journal: Journal = new Proxy(kept, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]): unknown => {
        if (name === 'read') reads.push((given[1] as number | undefined) ?? 1)
        return Reflect.apply(member, target, given) as unknown
      }
    },
  })
  const service = new AgentService({
    journal,
    prices: {
      date: '2026-01-01',
      currency: 'USD',
      models: { 'scripted/m': { inputPerMillion: 1_000, outputPerMillion: 0 } },
    },
    agents: [
      { id: 'clerk', tools: [drop], mandate: rule('deny'), model: scripted(dropping, { name: 'm' }) },
      { id: 'asker', tools: [drop], mandate: rule('ask'), model: scripted(dropping, { name: 'm' }) },
    ],
  })
  const studio = studioPart({
    folder: builtStudio(),
    secret: SECRET,
    identity: service.identity,
    store: 'SQLite, here.db',
  })
  const server = httpServer(service, { authenticate: () => service.identity, parts: [studio] })
  let url = ''
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
    (await (await fetch(`${url}${path}`, init)).json()) as T

  beforeAll(async () => {
    url = (await server.listen({ port: 0 })).url
    await service.run('clerk', 'Drop **it**.', { runId: 'dropping' })
  })
  afterAll(async () => {
    await server.close()
    await service.stop()
  })

  it('a run is listed with what it was asked, what it spent and what the gate denied it, and one that is not there is left out', async () => {
    const { facts } = await ask<Facts>('/api/run-facts?runs=dropping,nobody')
    expect(Object.keys(facts)).toEqual(['dropping'])
    expect(facts['dropping']).toMatchObject({
      asked: 'Drop **it**.',
      denials: [{ name: 'drop', rule: 'rules/deny-drop', seq: expect.any(Number) }],
    })
    expect(facts['dropping']!.money).toBeGreaterThan(0.09)
  })

  it('of a run that was read before only the new entries are read, and they are counted once', async () => {
    await service.run('asker', 'Ask.', { runId: 'asking' })
    const before = (await ask<Facts>('/api/run-facts?runs=asking')).facts['asking']!
    const [waiting] = await service.approvals()
    const { head } = await service.summary('asking')
    await service.approve(waiting!.id)
    await service.resume('asking')
    reads.length = 0
    const after = (await ask<Facts>('/api/run-facts?runs=asking')).facts['asking']!
    expect(reads).toEqual([head.seq + 1])
    expect(before.money).toBeCloseTo(0.1, 5)
    expect(after.money).toBeCloseTo(0.2, 5)
    // How long it worked, as the journal says it: not how long it waited.
    for await (const entry of service.entries('asking'))
      if (entry.type === 'run-end') expect(after.activeMs).toBe(entry.data?.activeMs)
    expect(before.activeMs).toBeLessThanOrEqual(after.activeMs!)
    reads.length = 0
    expect((await ask<Facts>('/api/run-facts?runs=asking')).facts['asking']).toEqual(after)
    expect(reads).toEqual([])
  })

  it('says what the server is and where its runs are kept', async () => {
    expect(await ask('/api/studio')).toEqual({
      readOnly: false,
      store: 'SQLite, here.db',
      version: expect.stringMatching(/^\d/),
      entryVersion: expect.any(Number),
      node: process.version,
      platform: expect.any(String),
    })
  })

  it('shows the rules of agents', async () => {
    const { agents } = await ask<{ readonly agents: readonly { readonly id: string; readonly mandate: object }[] }>(
      '/api/studio/mandates',
    )
    expect(agents.map(({ id }) => id)).toEqual(['clerk', 'asker'])
    expect(agents[0]!.mandate).toMatchObject({ rules: [{ id: 'deny-drop', then: 'deny' }] })
  })

  it('makes a sample run that calls a model and a tool and costs nothing, as often as it is asked', async () => {
    const sample = (): Promise<{ readonly id: string }> =>
      ask('/api/studio/sample', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: '{}',
      })
    const [{ id }, other] = [await sample(), await sample()]
    expect(other.id).not.toBe(id)
    expect((await service.summary(id)).state).toBe('completed')
    expect(JSON.stringify(await service.messages(id))).toContain('look_up_price')
    expect((await ask<Facts>(`/api/run-facts?runs=${id}`)).facts[id]).toMatchObject({ money: 0 })
  })
})
