import { describe, expect, onTestFinished, test } from 'vitest'
import { Fleet } from '../../src/engine/index.ts'
import { readAll } from '../../src/journal/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { openAgents } from './agents.fixture.ts'
import type { AgentsOrder } from './agents.fixture.ts'
import { ended, newPlace, startProgram } from './workers.fixture.ts'

async function restateOf(kind: string): Promise<AgentsOrder['restate']> {
  if (kind === 'dbos') return undefined
  const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
  return { ingress, admin }
}

describe.each(['dbos', 'restate'])('a rolling deploy with the engine %s', (kind) => {
  const canRun = has('postgres') && (kind === 'dbos' || has('restate'))
  test.skipIf(!canRun)(
    'an approved call waits for a version that has its tool, says so, and is then made once',
    async () => {
      const { url, log, lines } = await newPlace()
      const order: AgentsOrder = { url, log, restate: await restateOf(kind) }
      const start = (isBare: boolean): ReturnType<typeof startProgram> =>
        startProgram('agents.fixture.ts', { ...order, isBare })
      const [old, client] = await Promise.all([start(false), openAgents(order, false)])
      onTestFinished(async () => void (await client.stop()))
      const { id, status } = await client.run('asker', 'Go.')
      expect(status).toBe('await_user')
      const bare = await start(true)
      const gone = ended(old)
      old.kill('SIGTERM')
      await gone
      const [request] = await client.approvals()
      await client.approve(request!.id)
      const fleet = new Fleet(url)
      onTestFinished(() => fleet.close())
      const reasons = async (): Promise<string[]> => (await fleet.report()).held.map(({ reason }) => reason)
      await expect.poll(reasons).toEqual([expect.stringContaining('agent "asker" without the tool "asks"')])
      const types = (await readAll(client.journal, id)).map(({ type }) => type)
      expect(types.filter((type) => type === 'run-end')).toEqual([])
      await start(false)
      await expect.poll(async () => (await client.journal.summary(id))?.state, { timeout: 30_000 }).toBe('completed')
      expect(lines().filter((line) => line.startsWith('begins'))).toHaveLength(1)
      await expect.poll(reasons).toEqual([])
      bare.kill('SIGKILL')
    },
  )

  test.skipIf(!canRun)(
    'a call that is not idempotent and takes seconds ends in the worker that leaves, and is not in doubt',
    async () => {
      const { url, log, lines } = await newPlace()
      const order: AgentsOrder = { url, log, takesMs: 3_000, restate: await restateOf(kind) }
      const [old, client] = await Promise.all([startProgram('agents.fixture.ts', order), openAgents(order, false)])
      onTestFinished(async () => void (await client.stop()))
      const result = client.run('asker', 'Go.')
      await expect.poll(lines, { timeout: 10_000 }).toHaveLength(1)
      const gone = ended(old)
      old.kill('SIGTERM')
      expect(await gone).toBe(0)
      expect(lines()).toEqual([`begins ${old.pid}`, `ends ${old.pid}`])
      await startProgram('agents.fixture.ts', order)
      expect(await result).toMatchObject({ status: 'completed' })
      expect(lines()).toHaveLength(2)
    },
  )
})
