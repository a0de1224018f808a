import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentService, kernelOf } from '../../src/agent/index.ts'
import { Fleet, dbosEngine } from '../../src/engine/index.ts'
import { httpServer } from '../../src/server/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { has } from '../servers/servers.ts'
import { newPlace, startProgram } from './workers.fixture.ts'

const TOKEN = 'token-of-the-owner-0001'

describe.skipIf(!has('postgres'))('cells over HTTP, where workers drive the store', () => {
  test('are evaluated by the server, go on after an answer, and leave no worker anything to do', async () => {
    const { url } = await newPlace()
    const paid: unknown[] = []
    const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: (input) => paid.push(input) })
    const service = new AgentService({
      store: await openPostgres({ url }),
      engine: dbosEngine({ url }),
      tools: [pay],
    })
    const server = httpServer(service, { tokens: [{ token: TOKEN, identity: { id: 'ana', roles: ['owner'] } }] })
    const fleet = new Fleet(url)
    onTestFinished(async () => {
      await fleet.close()
      await server.close()
      await service.stop()
    })
    await startProgram('talker.fixture.ts', { url })
    const post = async (path: string, body: object): Promise<{ readonly [name: string]: unknown }> => {
      const headers = { host: '127.0.0.1', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const sent = new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await server.fetch(sent)).json() as never
    }
    const { id } = await post('/api/cell-sessions', {})
    const path = `/api/cell-sessions/${String(id)}`
    expect(await post(`${path}/cells`, { source: 'let total = 40' })).toMatchObject({ status: 'completed' })
    const waiting = await post(`${path}/cells`, { source: 'total += await tools.pay({ amount: 2 })\nprint(total)' })
    expect(waiting).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] })
    const [asked] = await service.approvals(String(waiting['run']))
    await service.approve(asked!.id)
    expect(await post(`${path}/resume`, {})).toMatchObject({ status: 'completed', stdout: '41\n' })
    expect(paid).toEqual([{ amount: 2 }])
    // A wake-up that an earlier release has left is dropped, and not passed from worker to worker.
    const last = await post(`${path}/cells`, { source: 'total = await tools.pay({})' })
    await kernelOf(service).engine.dispatch(String(last['run']), 'left')
    await expect.poll(() => fleet.report()).toMatchObject({ queues: [], held: [] })
  })
})
