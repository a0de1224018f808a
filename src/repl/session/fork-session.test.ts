import { afterEach, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { ReplSession } from 'mandate/repl'

const services: AgentService[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const pay = defineTool({
  name: 'pay',
  risk: 'read',
  needsApproval: true,
  inputSchema: { type: 'object' },
  run: () => 'paid',
})

function open(): Promise<ReplSession> {
  const service = new AgentService({ tools: [pay] })
  services.push(service)
  return ReplSession.open(service)
}

it.each([0, 1])(
  'a fork has what the host has set since the last of %i cells, and the session still has it',
  async (cells) => {
    const session = await open()
    for (let cell = 0; cell < cells; cell += 1) await session.evalCell('let n = 1')
    session.variables.set('x', 5)
    session.setContext({ a: 1 })
    session.setState({ b: 2 })
    const fork = await session.fork()
    for (const each of [fork, session])
      expect((await each.evalCell('[x, context.a, state.b]')).value).toEqual([5, 1, 2])
  },
)

it('a fork at an earlier cell has nothing that was set later', async () => {
  const session = await open()
  const { run } = await session.evalCell('let n = 1')
  session.variables.set('x', 5)
  const fork = await session.fork({ at: run })
  expect((await fork.evalCell('[n, typeof x]')).value).toEqual([1, 'undefined'])
})

it('a fork at a run that is no cell, or is not over, is refused at once', async () => {
  const session = await open()
  await expect(session.fork({ at: 'run_nope' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { run, status } = await session.evalCell('await tools.pay({})')
  expect(status).toBe('waiting')
  await expect(session.fork({ at: run })).rejects.toMatchObject({ code: 'RUN_STATE' })
})

it('what a cancelled cell did not come to set does not exist', async () => {
  const session = await open()
  await session.evalCell('let before = 1')
  await session.evalCell('const both = await tools.pay({}); before = 2')
  await session.cancel()
  expect((await session.evalCell('[typeof both, before]')).value).toEqual(['undefined', 1])
  expect((await session.evalCell('const both = 4; both')).value).toBe(4)
})
