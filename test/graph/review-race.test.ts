import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { compileRag, graphRegistry, graphReviews, runGraph } from 'mandate/graph'
import { openStore } from 'mandate/sqlite'

const refund = defineTool({ name: 'refund', risk: 'write', run: () => 'refunded' })
const TEXT = 'graph refunds { start pay node pay { kind tool tool "refund" next END } }'

test('of two services over one SQLite store that use a token at the same moment, one registers; a third has the graph after a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-review-'))
  const services: AgentService[] = []
  const open = async (): Promise<AgentService> => {
    const { journal } = await openStore({ dir })
    const service = new AgentService({ store: { journal, close: () => journal.close() }, tools: [refund] })
    services.push(service)
    return service
  }
  try {
    const [one, two] = [await open(), await open()]
    const [graph] = compileRag(TEXT, { origin: 'generated', catalog: graphRegistry(one) }).graphs
    const { id, approvalId } = await graphReviews(one).request(graph!)
    await two.as({ id: 'ana', roles: ['owner'] }).approve(approvalId!)
    const { token } = await graphReviews(one).read(id)
    const tried = await Promise.allSettled([one, two].map((each) => graphReviews(each).register(graph!, token!)))
    expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const third = await open()
    expect(await graphReviews(third).restore()).toEqual({ registered: ['refunds'], problems: [] })
    expect(await runGraph(third, 'refunds').result()).toMatchObject({ pay: 'refunded' })
    expect((await third.verify('graph-registrations')).ok).toBe(true)
  } finally {
    await Promise.all(services.map((each) => each.stop()))
    rmSync(dir, { recursive: true, force: true })
  }
})
