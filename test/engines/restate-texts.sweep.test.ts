import { writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { restateEngine } from '../../src/engine/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { speaker } from '../engine/speaker.fixture.ts'
import { SAID } from '../engine/talker.fixture.ts'
import type { TalkerOrder } from '../engine/talker.fixture.ts'
import { askAll, openTalkers } from '../engine/talking.ts'
import { newPlace, startProgram } from '../engine/workers.fixture.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

test.skipIf(!has('restate') || !has('postgres'))(
  'what a model says on a worker of Restate reaches a client while it is said',
  async () => {
    const { url, log: go } = await newPlace()
    const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
    const shared = { store: url, schema: new URL(url).searchParams.get('schema')!, ingress, admin }
    const open = async (engine: ReturnType<typeof restateEngine>): Promise<AgentService> => {
      const service = new AgentService({ store: await openPostgres({ url }), engine, agents: [speaker(go)] })
      onTestFinished(async () => void (await service.stop()))
      await service.start()
      return service
    }
    await open(restateEngine({ ...shared, worker: {} }))
    const client = await open(restateEngine(shared))
    let said = ''
    client.events.on('text-delta', ({ data }) => {
      said += data.text
      // The end of this call cannot have come: its model waits for its number in this file.
      const call = [...said.matchAll(/Call (\d+): ü+\. /gu)].at(-1)?.[1]
      if (call !== undefined) writeFileSync(go, call)
    })
    expect(await client.run('speaker', 'Speak.')).toMatchObject({ status: 'completed' })
    expect(said).toMatch(/Call \d+: ü+\. /u)
  },
)

test.skipIf(!has('restate') || !has('postgres'))(
  'what a model says on one of two workers of Restate is complete on every face when the answer ends',
  async () => {
    const { url } = await newPlace()
    const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
    const restate = { schema: new URL(url).searchParams.get('schema')!, ingress, admin }
    const order = { url, restate } satisfies TalkerOrder
    const [service] = await Promise.all([
      openTalkers(url, restateEngine({ store: url, ...restate })),
      startProgram('talker.fixture.ts', order),
      startProgram('talker.fixture.ts', order),
    ])
    for (const heard of await askAll(service, ['talker', 'quick', 'team', 'planned']))
      expect.soft(heard).toMatchObject({ text: SAID, isWhole: true })
  },
)
