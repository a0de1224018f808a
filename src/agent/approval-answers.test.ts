import { expect, it } from 'vitest'
import { scripted } from '../model/index.ts'
import { askUser, defineTool } from '../tool/index.ts'
import { Agent } from './agent.ts'

const send = defineTool({ name: 'send', risk: 'destructive', run: () => 'sent' })

async function answered(answer: unknown, name = 'send') {
  const input = name === 'send' ? {} : { question: 'Go on?' }
  const model = scripted([{ toolCalls: [{ name, input }] }, 'Done.'])
  const agent = new Agent({ id: 'a', model, tools: [send, askUser()] }, { onApproval: () => answer as never })
  const errors: string[] = []
  agent.on('error', ({ data }) => errors.push(JSON.stringify(data)))
  const told: string[] = []
  const result = await agent.run('Go.', { onError: ({ message }) => told.push(message) })
  const open = await agent.service.approvals(result.id)
  const { identical } = await agent.service.replay(result.id)
  await agent.stop()
  return { status: result.status, warnings: result.report().diagnostics.warnings.join(), told, errors, open, identical }
}

it.each([
  ['approve', '"approve" is no answer. Return { answer: \'approve\' }'],
  [true, "true is no answer. Return { answer: 'approve' }"],
  [false, "false is no answer. Return { answer: 'reject' }"],
  [null, 'null is no answer'],
  [{ decision: 'approve' }, '`decision` is not a field of an answer'],
  [{ anwser: 'approve' }, 'Did you mean `answer`?'],
  [{}, 'The answer has no `answer`'],
  [{ answer: 'aprove' }, '"aprove" does not answer this request'],
  [{ answer: 'approved' }, "Return { answer: 'approve' }"],
  [{ answer: 'approve', by: { id: 'ana', roles: ['owner'] } }, 'The service answers in its own name'],
])('`onApproval` that returns %j leaves the request open, and the run says why', async (answer, why) => {
  const { status, warnings, told, errors, open, identical } = await answered(answer)
  expect({ status, open: open.length, identical }).toEqual({ status: 'await_user', open: 1, identical: true })
  expect(JSON.parse(warnings.slice('handler-error: '.length)).message).toContain(why)
  expect(told.join()).toContain(why)
  expect(errors).toHaveLength(1)
})

it('an answer to a question shows that it needs a value', async () => {
  expect((await answered('yes', 'ask_user')).told.join()).toContain("Return { answer: 'answer', value }")
})

it('an answer of the right shape is taken, and nothing leaves the request open without a word', async () => {
  expect(await answered({ answer: 'approve' })).toMatchObject({ status: 'completed', warnings: '', told: [] })
  expect(await answered(undefined)).toMatchObject({ status: 'await_user', warnings: '', told: [] })
})
