import { writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { sha256 } from '../../src/core/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import { readAll } from '../../src/journal/index.ts'
import { httpServer, newToken } from '../../src/server/index.ts'
import { keyRing, newKey } from '../../src/store/encryption/key-ring.ts'
import type { Encryption } from '../../src/store/encryption/key-ring.ts'
import { linkTo, openPostgres } from '../../src/store/postgres/index.ts'
import { RunClient, sseEvents } from '../server/streams/sse-client.ts'
import { has } from '../servers/servers.ts'
import { speaker } from './speaker.fixture.ts'
import { newPlace, startProgram } from './workers.fixture.ts'

async function openService(url: string): Promise<AgentService> {
  const service = new AgentService({
    store: await openPostgres({ url }),
    engine: dbosEngine({ url }),
    agents: [speaker('')],
  })
  onTestFinished(() => service.stop().then(() => {}))
  await service.start()
  return service
}

describe.skipIf(!has('postgres'))('what a model says on a worker', () => {
  test('reaches a client of a server on another process while it is said, and is in no journal but as the message', async () => {
    const { url, log: go } = await newPlace()
    const [starting, serving] = await Promise.all([
      openService(url),
      openService(url),
      startProgram('speaker.fixture.ts', { url, go }),
    ])
    const token = newToken()
    const server = httpServer(serving, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })
    onTestFinished(async () => void (await server.close()))
    const address = (await server.listen({ port: 0 })).url
    // Started by one process, driven by another, followed at a third.
    const run = starting.run('speaker', 'Speak.', { runId: 'spoken' })
    await expect.poll(async () => (await serving.journal.summary('spoken'))?.state).toBe('running')
    const answer = await fetch(`${address}/api/runs/spoken/events`, { headers: { authorization: `Bearer ${token}` } })
    const client = new RunClient()
    for await (const event of sseEvents(answer.body! as never)) {
      client.add(event)
      // The end of this call cannot have come: its model waits for its number in this file, and only there.
      const call = /^Call (\d+): ü+\. /.exec([...client.texts.values()].at(-1) ?? '')?.[1]
      if (call !== undefined) writeFileSync(go, call)
    }
    expect((await run).status).toBe('completed')
    const text = [...client.texts.values()].at(-1)!
    const [call] = /\d+/.exec(text)!
    expect(text).toBe(`Call ${call}: ${'ü'.repeat(3_000)}. Done.`)
    // Nothing of it comes after the message.
    expect(client.types.lastIndexOf('text-delta')).toBeLessThan(client.types.lastIndexOf('effect-end'))
    const types = new Set((await readAll(serving.journal, 'spoken')).map(({ type }) => type as string))
    expect(types.has('text-delta')).toBe(false)
  })

  test('does not travel where the store is encrypted: a server may write notices to its disk', async () => {
    const listening = async (encryption?: Encryption): Promise<boolean> => {
      const { url } = await newPlace()
      const store = await openPostgres({ url, encryption })
      const service = new AgentService({ store, engine: dbosEngine({ url, role: 'worker' }) })
      await service.start()
      const name = sha256(new URL(url).searchParams.get('schema')!).slice(0, 16)
      const link = linkTo(url, 1)
      const sql = 'SELECT 1 FROM pg_stat_activity WHERE query LIKE $1'
      const { rows } = await link.query(sql, [`LISTEN mandate_%_${name}`])
      await link.close()
      await service.stop()
      return rows.length > 0
    }
    expect([await listening(), await listening(keyRing(`k1:${newKey()}`))]).toEqual([true, false])
  })
})
