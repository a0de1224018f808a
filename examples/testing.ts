// How agents are tested without a model, a network or waiting: a bench, a sequence, a cassette, a journal that fails.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { expectEntries, faultyJournal, fileCassette, testAgent } from 'mandate/testing'

const text = (name: string): object => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})

let asked = 0
const weather = defineTool({
  name: 'weather',
  description: 'Says how the weather is.',
  risk: 'read',
  inputSchema: { ...text('city') },
  run: ({ city }: { city: string }) => {
    asked++
    return { city, sky: 'grey' }
  },
})
const mail = defineTool({
  name: 'mail',
  risk: 'write',
  needsApproval: true,
  inputSchema: { ...text('body') },
  run: () => 'sent',
})

/** The agent under test; the test provides its model. */
const agent: AgentConfig = { id: 'forecaster', instructions: 'You tell the weather.', tools: [weather, mail] }

const look = { text: 'I look.', toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }
const send = { toolCalls: [{ name: 'mail', input: { body: 'Grey.' } }] }

async function onTheBench(): Promise<void> {
  const bench = testAgent(agent, {
    script: [{ error: 'overloaded', retriable: true, retryAfterMs: 60_000 }, look, send, 'Mailed.'],
  })
  const result = await bench.run('Mail me the weather.')
  assert.equal(result.status, 'await_user')
  await bench.expectActions(['weather'])
  bench.events.expectSequence(['effect-retry', { type: 'effect-start', data: { name: 'weather' } }, 'approval-request'])
  await expectEntries(bench.journal, result.id).toHaveNo({ type: 'effect-start', data: { name: 'mail' } })

  const [question] = await bench.service.approvals()
  await bench.service.approve(question!.id)
  assert.equal((await bench.resume()).lastText, 'Mailed.')
  await bench.expectActions(['weather', 'mail'])
  console.log('bench:    a minute of backoff took no time, and nothing was mailed before it was approved')

  try {
    bench.events.expectSequence(['run-end', 'approval-request'])
  } catch (error) {
    console.log(`sequence: ${(error as Error).message.replaceAll('\n', '\n          ')}`)
  }
}

async function onTape(path: string): Promise<void> {
  const run = async (mode: 'record' | 'replay', city: string): Promise<string> => {
    const tape = fileCassette(path, { mode, note: (line) => console.log(line), unused: 'ignore' })
    // The real model stands here; it is opened only when calls are recorded.
    const model = tape.model({ id: 'scripted/real', open: () => scripted([look, 'It is grey.'], { name: 'real' }) })
    const bench = testAgent({ ...agent, model, tools: [tape.tool(weather)] })
    const result = await bench.run(`How is ${city}?`)
    await tape.close()
    return result.error?.message ?? result.text
  }
  asked = 0
  const recorded = await run('record', 'Oslo')
  assert.equal(await run('replay', 'Oslo'), recorded)
  assert.equal(asked, 1)
  console.log('cassette: replayed without the model and without the tool')
  console.log(`cassette: ${(await run('replay', 'Rome')).replaceAll('\n', '\n          ')}`)
}

async function onAFailingStore(): Promise<void> {
  const journal = faultyJournal(memoryJournal(), { seed: 1, stealLeaseAt: 4 })
  const model = scripted([look, 'It is grey.'])
  const service = new AgentService({ journal, agents: [{ ...agent, model }] })
  const before = asked
  const first = await service.run('forecaster', 'How is Oslo?', { runId: 'run-1' }).catch((error: unknown) => error)
  const result = await service.resume('run-1')
  assert.equal(result.lastText, 'It is grey.')
  assert.equal(asked - before, 1)
  console.log(
    `faults:   ${journal.faults.join(', ')}: ${first instanceof Error ? 'failed' : 'ended'}, resumed, and the tool ran once`,
  )
  await service.stop()
}

const folder = mkdtempSync(join(tmpdir(), 'mandate-testing-'))
try {
  await onTheBench()
  await onTape(join(folder, 'weather.cassette.json'))
  await onAFailingStore()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
