import { afterEach, describe, expect, it } from 'vitest'
import { Agent, AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { ReplSession } from 'mandate/repl'

const services: AgentService[] = []
const world: string[] = []

afterEach(async () => {
  world.length = 0
  for (const service of services.splice(0)) await service.stop()
})

/** Says when it begins and how it ends; `slow` never ends by itself. */
const send = defineTool({
  name: 'send',
  risk: 'read',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  run: async ({ to }, { signal }) => {
    world.push(`begun ${to}`)
    if (to === 'nobody') throw new Error('There is nobody.')
    await new Promise<void>((resolve) => {
      const cut = (): void => {
        world.push(`cut ${to}`)
        resolve()
      }
      if (to === 'slow') signal.addEventListener('abort', cut, { once: true })
      else setTimeout(resolve, 5)
    })
    world.push(`done ${to}`)
    return to
  },
})

async function openSession(): Promise<ReplSession> {
  const service = new AgentService()
  services.push(service)
  return ReplSession.open(service, { tools: [send] })
}

describe('a call that a cell does not await', () => {
  it('is finished before the cell ends, and a later cell has its result', async () => {
    const session = await openSession()
    const first = await session.evalCell('const sent = tools.send({ to: "ada" }).then((to) => to + "!"); 1')
    expect(first).toMatchObject({ status: 'completed', value: 1, warnings: [] })
    expect(world).toEqual(['begun ada', 'done ada'])
    expect((await session.evalCell('await sent')).value).toBe('ada!')
    expect(world).toHaveLength(2)
    for (const { run } of await services[0]!.runs()) {
      expect(await services[0]!.replay(run)).toMatchObject({ identical: true })
    }
  })

  it('is finished with what follows it in functions that nobody awaits, also after a sleep', async () => {
    const session = await openSession()
    await session.evalCell(
      'const sent = []; ["a", "b"].forEach(async (to) => { await tools.send({ to }); await sleep(1); sent.push(await tools.send({ to: to + to })) })',
    )
    expect((await session.evalCell('[...sent].sort()')).value).toEqual(['aa', 'bb'])
  })

  it('is finished when another one of a `Promise.all` failed', async () => {
    const session = await openSession()
    const cell = await session.evalCell('await Promise.all([tools.send({ to: "nobody" }), tools.send({ to: "ada" })])')
    expect(cell).toMatchObject({ status: 'failed', error: { message: 'There is nobody.' } })
    expect(world).toContain('done ada')
  })

  it.each([
    'Promise.race([tools.send({ to: "slow" }), sleep(1)])',
    'Promise.race([(async () => (await tools.send({ to: "slow" })) + 1)(), sleep(1)])',
    'Promise.any([tools.send({ to: "slow" }).then((to) => to), tools.send({ to: "ada" })])',
  ])('is cut where it lost a race: %s', async (race) => {
    const session = await openSession()
    expect(await session.evalCell(`await ${race}; "over"`)).toMatchObject({ value: 'over', warnings: [] })
    expect(world).toContain('cut slow')
  })

  it('keeps no cell from ending: callbacks of timers and resolvers are left behind, and awaiting them later says so', async () => {
    const session = await openSession()
    const first = await session.evalCell('const late = new Promise((resolve) => setTimeout(resolve, 60_000)); 1')
    expect(first).toMatchObject({ status: 'completed', value: 1 })
    expect((await session.evalCell('await late')).error?.message).toMatch(
      /^The promise had not settled when its cell ended/,
    )
  })

  it('cannot hold a cell longer than `timeoutMs`', async () => {
    const service = new AgentService()
    services.push(service)
    const session = await ReplSession.open(service, { tools: [send], policy: { timeoutMs: 1_000 } })
    expect(await session.evalCell('tools.send({ to: "slow" }); 1')).toMatchObject({
      status: 'failed',
      error: { code: 'TIMEOUT' },
    })
  })

  it('tells the model in a warning that it failed', async () => {
    const model = scripted(['```js\ntools.send({ to: "nobody" })\n1\n```', '```js\nanswer("ok")\n```'])
    const agent = new Agent({ model, tools: [send], mode: 'code' })
    await agent.run('Go.')
    expect(JSON.stringify(model.requests[1]!.messages)).toMatch(
      /Warning: 1 promises were rejected and never handled\..*The first: There is nobody\./,
    )
    await agent.stop()
  })
})
