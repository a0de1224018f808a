import { describe, expect, test } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { program, registerProgram, runProgram, s } from 'mandate/vm'

describe('programs in a service', () => {
  test('start its agents, within one budget and one tree', async () => {
    const look = defineTool({ name: 'look', risk: 'read', inputSchema: { type: 'object' }, run: () => 'a cat' })
    const service = new AgentService({
      agents: [
        {
          id: 'writer',
          model: scripted([{ toolCalls: [{ name: 'look', input: {} }] }, 'It is a cat.']),
          tools: [look],
        },
      ],
    })
    const chain = program
      .take(s.object({ task: s.string }))
      .agentRun({ agentId: 'writer', input: { prompt: program.args('task') } })
      .as('said')
      .return(s.object({ said: s.any }))
    const outcome = await runProgram(service, chain, { task: 'What is it?' }, { runId: 'r', budget: { toolCalls: 5 } })
    expect(outcome).toMatchObject({ state: 'completed', output: { result: { said: 'It is a cat.' } } })
    const [child] = await service.runs({ parent: 'r' })
    expect(child).toMatchObject({ name: 'writer', state: 'completed' })
    expect(await service.replay('r')).toMatchObject({ identical: true })
    const tight = await runProgram(service, chain, { task: 'Again?' }, { budget: { modelCalls: 0 } })
    expect(tight).toMatchObject({ state: 'failed' })
    await service.stop()
  })

  test('are children of other programs, by name, also when they wait for somebody', async () => {
    const paid: number[] = []
    const pay = defineTool({
      name: 'pay',
      risk: 'write',
      needsApproval: true,
      inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
      run: ({ amount }: { amount: number }) => paid.push(amount),
    })
    const service = new AgentService({ tools: [pay] })
    await registerProgram(service, "await tools.pay({ amount: args.amount }); return 'paid'", { name: 'payer' })
    const parent = program
      .agentRun({ agentId: 'payer', input: { amount: 7 } })
      .as('x')
      .return({ value: program.val('x') })
    const first = await runProgram(service, parent, {}, { runId: 'r' })
    expect(first).toMatchObject({ state: 'suspended', reason: 'approval' })
    expect(paid).toEqual([])
    const [approval] = await service.approvals()
    await service.approve(approval!.id)
    expect(await service.resume('r')).toMatchObject({ status: 'completed', result: { result: 'paid' } })
    expect(paid).toEqual([7])
    await service.stop()
  })

  test('a budget of calls holds for what a program does', async () => {
    let calls = 0
    const act = defineTool({ name: 'act', risk: 'read', inputSchema: { type: 'object' }, run: () => ++calls })
    const service = new AgentService({ tools: [act] })
    const source = 'const all = []; for (const i of [1, 2, 3, 4]) all.push(await tools.act({ i })); return all'
    expect(await runProgram(service, source, {}, { budget: { toolCalls: 2 } })).toMatchObject({
      state: 'failed',
      error: { code: 'LIMIT_EXCEEDED' },
    })
    expect(calls).toBe(2)
    await service.stop()
  })

  test('end with their tree: a child that only computes, and one that waits', async () => {
    let isCut = false
    const hang = defineTool({
      name: 'hang',
      risk: 'read',
      inputSchema: { type: 'object' },
      run: (_: unknown, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isCut = true
            reject(new Error('cut'))
          })
        }),
    })
    const service = new AgentService({ tools: [hang] })
    await registerProgram(service, 'for (;;) {}', { name: 'computing', fuel: 1e9 })
    await registerProgram(service, 'return tools.hang({})', { name: 'waiting' })
    for (const agentId of ['computing', 'waiting']) {
      const parent = program.agentRun({ agentId, input: {} })
      const running = runProgram(service, parent, {}, { runId: agentId, fuel: 1e9 })
      while ((await service.runs({ parent: agentId })).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5))
      await new Promise((resolve) => setTimeout(resolve, 20))
      await service.cancel(agentId)
      expect(await running).toMatchObject({ state: 'cancelled' })
      expect(await service.runs({ parent: agentId })).toMatchObject([{ state: 'cancelled' }])
    }
    expect(isCut).toBe(true)
    await service.stop()
  })
})
