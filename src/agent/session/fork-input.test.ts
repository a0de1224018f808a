import { describe, expect, it } from 'vitest'
import type { Entry } from '../../journal/index.ts'
import { scripted, textOf } from '../../model/index.ts'
import { AgentService } from '../service/service.ts'

const PRICES = {
  date: '2026-01-01',
  currency: 'USD',
  models: { '*': { inputPerMillion: 0, outputPerMillion: 1_000_000 } },
} as const

async function withRun<T>(work: (service: AgentService, asked: string[]) => Promise<T>): Promise<T> {
  const asked: string[] = []
  const model = scripted((request) => {
    const said = request.messages.filter(({ role }) => role === 'user').map(textOf)
    asked.push(said.at(-1)!)
    return `You said: ${said.at(-1)}`
  })
  const service = new AgentService({ agents: [{ id: 'echo', model }], prices: PRICES })
  try {
    await service.run('echo', 'old prompt', { runId: 'r', context: { city: 'Graz' } })
    return await work(service, asked)
  } finally {
    await service.stop()
  }
}

describe('a fork of an agent with another input', () => {
  it.each([
    ['a text', 'new prompt'],
    ['a message', { role: 'user', content: [{ type: 'text', text: 'new prompt' }] }],
    ['the members that differ', { prompt: 'new prompt' }],
  ])('takes %s', (_what, input) =>
    withRun(async (service, asked) => {
      const fork = await service.fork('r', { edit: { input } })
      const result = await service.resume(fork)
      expect(result.text).toBe('You said: new prompt')
      expect(asked).toEqual(['old prompt', 'new prompt'])
      const { value: first } = await service.entries(fork).next()
      expect((first as Entry).data).toMatchObject({ input: { context: { city: 'Graz' }, history: [] } })
    }),
  )

  it.each([[7], [null], [['a']], [{ prompts: 'x' }], [{ prompt: 7 }], [{ history: 'x' }]])(
    'refuses %j with the right shape',
    (input) =>
      withRun(async (service) => {
        await expect(service.fork('r', { edit: { input } as never })).rejects.toMatchObject({
          name: 'MandateError',
          code: expect.stringMatching(/^(CONFIG|INPUT)_INVALID$/u),
          message: expect.stringMatching(/prompt|history/u),
        })
      }),
  )
})

describe('a run of an agent that a limit ended', () => {
  it('is continued by a fork with another budget, without asking the model again for what it had said', async () => {
    let calls = 0
    const model = scripted([{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'look' }] }, 'Done.'])
    const counted = { ...model, stream: (...args: Parameters<typeof model.stream>) => (calls++, model.stream(...args)) }
    const look = { name: 'look', description: 'Looks.', risk: 'read', inputSchema: {}, run: () => 'seen' } as const
    const service = new AgentService({ agents: [{ id: 'a', model: counted, tools: [look] }] })
    const failed = await service.run('a', 'Look twice', { runId: 'r', budget: { modelCalls: 2 } })
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    await expect(service.resume('r', { budget: { modelCalls: 3 } })).rejects.toThrow('fork("r", { budget })')
    const fork = await service.fork('r', { budget: { modelCalls: 3 } })
    expect(await service.resume(fork)).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(calls).toBe(3)
    await service.stop()
  })

  it('is not given what can no longer be chosen', () =>
    withRun(async (service) => {
      await expect(service.resume('r', { budgt: {} } as never)).rejects.toThrow('Did you mean `budget`?')
      await expect(service.resume('r', { sessionId: 's' } as never)).rejects.toThrow('sessionId')
    }))
})
