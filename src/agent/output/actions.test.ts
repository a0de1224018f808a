import { expect, test } from 'vitest'
import { askUser } from '../../tool/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'
import type { AgentConfig } from '../config/config-types.ts'
import type { AgentResult } from './result-types.ts'

const NUMBER = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }

/** What a run did, in short: each call with its status, its code and whether it was carried out. */
const short = ({ actions }: AgentResult): readonly string[] =>
  actions.map(({ toolId, status, performed, error }) =>
    [toolId, status, error?.code, performed].filter((each) => each !== undefined).join(' '),
  )

test('every call of a run is among its actions, with its outcome: also those that were refused before they started', async () => {
  const service = host({
    model: model([
      calls({ name: 'look', input: { a: 1 } }, { name: 'look', input: { a: 'x' } }, 'wipe', 'nope', 'pay'),
      calls({ name: 'ask_user', input: { question: 'Sure?' } }),
      'Done.',
    ]),
    tools: [
      tool('look', () => 1, { inputSchema: NUMBER }),
      tool('wipe'),
      tool('pay', () => 1, { needsApproval: true }),
      askUser(),
    ],
    mandate: { deny: ['wipe'] },
  })
  const first = await service.run('main', 'Go.')
  await service.reject(first.pending[0]!.approvalId!, 'too dear')
  const second = await service.resume(first.id)
  await service.answer(second.pending[0]!.approvalId!, 'Yes!')
  const result = await service.resume(first.id)
  expect([...short(result)].sort()).toEqual([
    'ask_user ok true',
    'look denied SCHEMA_INVALID false',
    'look ok true',
    'nope denied TOOL_UNKNOWN false',
    'pay denied DENIED false',
    'wipe denied DENIED false',
  ])
  const refused = result.actions.find(({ status, toolId }) => toolId === 'look' && status === 'denied')
  expect(refused).toMatchObject({ id: 'turn:1/tool:2', input: { a: 'x' }, output: null, ok: false })
  expect(result.actions.find(({ toolId }) => toolId === 'ask_user')!.output).toBe('Yes!')
  expect(result.actions.find(({ toolId }) => toolId === 'pay')!.error!.message).toContain('too dear')
  // What was not carried out is no use of a tool, and no call in the figures.
  const { toolsUsed, metrics } = result.report()
  expect(toolsUsed.toSorted()).toEqual(['ask_user', 'look'])
  expect(metrics.toolCalls).toEqual({ look: 1, ask_user: 1 })
  expect(metrics.toolErrors).toEqual({})
})

test('what an executor of the host carried out is among the actions, with its output or its error', async () => {
  const executor: AgentConfig['executor'] = {
    execute: async ({ toolId, input }) => {
      if (toolId === 'wipe') throw new Error('broken')
      return { ok: true, output: (input as { a: number }).a + 41 }
    },
  }
  const script = model([calls({ name: 'look', input: { a: 1 } }, 'wipe'), 'Done.'])
  const result = await host({ model: script, tools: [tool('look'), tool('wipe')], executor }).run('main', 'Go.')
  expect(short(result)).toEqual(['look ok true', 'wipe failed TOOL_FAILED true'])
  expect(result.actions[0]).toMatchObject({ id: 'turn:1/tool:1', input: { a: 1 }, output: 42 })
  expect(result.report().toolsUsed).toEqual(['look', 'wipe'])
})

test('an executor that performs the call itself leaves one action, the call', async () => {
  const executor: AgentConfig['executor'] = {
    execute: async (step, { perform }) => {
      const outcome = await perform({ kind: 'tool', name: step.toolId!, input: step.input ?? {}, key: 'own' })
      return outcome.status === 'ok' ? outcome.value : { ok: false, error: { message: 'no' } }
    },
  }
  const service = host({ model: model([calls('look'), 'Done.']), tools: [tool('look', () => 7)], executor })
  const { actions } = await service.run('main', 'Go.')
  expect(actions).toMatchObject([{ toolId: 'look', output: 7, performed: true }])
})

test('a call that is answered at once is among the actions as not carried out', async () => {
  const broken = { toolCalls: [{ name: 'look', rawInput: '{"a": ' }] }
  const first = await host({ model: model([broken, 'Done.']), tools: [tool('look')] }).run('main', 'Go.')
  expect(short(first)).toEqual(['look failed INPUT_INVALID false'])
  expect(first.actions[0]!.input).toBe('{"a": ')
  const service = host({ model: model([calls('look'), 'Done.']), tools: [tool('look')] })
  const second = await service.run('main', 'Go.', { toolChoice: 'none' })
  expect(short(second)).toEqual(['look failed DENIED false'])
  expect(second.actions[0]!.error!.message).toMatch(/^failed \(DENIED\): No tool may be called/)
})
