import { onTestFinished } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { httpServer, newToken } from '../../src/server/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { FACES, ask } from './faces.ts'
import type { Heard } from './faces.ts'
import { TALKERS } from './talker.fixture.ts'

/** A service that knows the talkers; it stops with the test. */
export async function openTalkers(url: string, engine: Engine): Promise<AgentService> {
  const service = new AgentService({ store: await openPostgres({ url }), engine, agents: TALKERS })
  onTestFinished(() => service.stop().then(() => {}))
  await service.start()
  return service
}

export interface Asked extends Heard {
  readonly agent: string
  readonly face: string
}

/** Asks every agent on every face, and in code by its `textStream`, all at once. `onText` is called with what each has heard so far. */
export async function askAll(
  service: AgentService,
  agents: readonly string[],
  onText: (texts: readonly string[]) => unknown = () => {},
): Promise<readonly Asked[]> {
  const token = newToken()
  const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })
  onTestFinished(async () => void (await server.close()))
  const asked = agents.flatMap((agent) => [...Object.keys(FACES), 'code'].map((face) => ({ agent, face })))
  const texts = asked.map(() => '')
  const told = (index: number, text: string): void => {
    texts[index] = text
    onText(texts)
  }
  return Promise.all(
    asked.map(async ({ agent, face }, index) => {
      if (face !== 'code')
        return { agent, face, ...(await ask(face, { server, token, agent, onText: (text) => told(index, text) })) }
      const run = service.run(agent, 'Speak.')
      let text = ''
      for await (const piece of run.textStream) told(index, (text += piece))
      return { agent, face, text, isWhole: (await run).status === 'completed' }
    }),
  )
}
