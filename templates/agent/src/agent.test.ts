import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedStep } from 'mandate/model'
import { testAgent } from 'mandate/testing'
import config from '../mandate.config.ts'

const support = config.agents![0]!
const look = { toolCalls: [{ name: 'find_order', input: { order: 'A-18' } }] }

/** The agent as it is configured, with the replies that a test needs. */
function bench(script: readonly ScriptedStep[]) {
  const { model: _, ...agent } = support
  return testAgent(agent, { script })
}

test('small refunds are paid at once', async () => {
  const agent = bench([look, { toolCalls: [{ name: 'refund', input: { order: 'A-18', amount: 39 } }] }, 'Done.'])
  const { status, text } = await agent.run('I want order A-18 back.')
  assert.equal(status, 'completed')
  assert.equal(text, 'Done.')
  await agent.expectActions(['find_order', 'refund'])
})

test('large refunds wait for a person, and are paid when approved', async () => {
  const agent = bench([{ toolCalls: [{ name: 'refund', input: { order: 'A-17', amount: 80 } }] }, 'Done.'])
  const { status, pending } = await agent.run('I want order A-17 back.')
  assert.equal(status, 'await_user')
  assert.deepEqual(pending[0]?.input, { order: 'A-17', amount: 80 })
  await agent.service.approve(pending[0]!.approvalId!)
  assert.equal((await agent.resume()).status, 'completed')
  await agent.expectActions(['refund'])
})

test('tools that are not allowed are denied', async () => {
  const agent = bench([{ toolCalls: [{ name: 'delete_order', input: { order: 'A-17' } }] }, 'I cannot.'])
  assert.equal((await agent.run('Delete it.')).status, 'completed')
  await agent.expectActions([])
})
