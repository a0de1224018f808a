import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AgentService } from 'mandate'
import { openStore } from 'mandate/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newFolder } from './folder.fixture.ts'
import { refundAgent } from './refund-agent.ts'

const PROCESS = fileURLToPath(new URL('refund-process.ts', import.meta.url))

/** A service as another process would open it. */
async function open(dir: string): Promise<AgentService> {
  const { journal } = await openStore({ dir })
  const service = new AgentService({ store: { journal }, agents: [refundAgent(dir)] })
  onTestFinished(async () => void (await service.stop()))
  return service
}

const ledger = (dir: string): string[] => readFileSync(join(dir, 'ledger'), 'utf8').trim().split('\n')

describe('a refund', () => {
  it('is begun, killed, resumed, put before a person, approved by another process, replayed, forked, cancelled and verified', async () => {
    const dir = newFolder()
    const killed = spawnSync(process.execPath, [
      '--conditions=mandate-source',
      '--disable-warning=ExperimentalWarning',
      PROCESS,
      dir,
    ])
    expect(killed.signal).toBe('SIGKILL')
    expect(ledger(dir)).toEqual(['look_up A-17'])

    // Resumed: what was done is not done again, and what needs a person waits for one.
    const second = await open(dir)
    expect(await second.result('r1')).toMatchObject({ status: 'await_user', suspendReason: 'interrupt' })
    const waiting = await second.resume('r1')
    expect(waiting).toMatchObject({
      status: 'await_user',
      suspendReason: 'approval',
      text: 'I look it up.\nI pay 40 back.',
    })
    expect(ledger(dir)).toEqual(['look_up A-17'])
    await second.stop()

    // Approved in another process, days later for all it knows.
    const third = await open(dir)
    const [request] = await third.approvals()
    expect(request).toMatchObject({
      run: 'r1',
      name: 'refund',
      input: { order: 'A-17', amount: 40 },
      risk: 'destructive',
    })
    await third.approve(request!.id)
    const result = await third.resume('r1')
    expect(result).toMatchObject({
      status: 'completed',
      text: 'I look it up.\nI pay 40 back.\nIt is paid back.',
      sessionId: 's1',
    })
    expect(ledger(dir)).toEqual(['look_up A-17', 'refund A-17 40'])
    await expect(third.approve(request!.id)).rejects.toMatchObject({ code: expect.stringMatching(/APPROVAL/) })

    // Replayed: nothing is performed, and it is identical.
    expect(await third.replay('r1')).toMatchObject({ identical: true, complete: true })
    expect(ledger(dir)).toHaveLength(2)

    // Forked with another amount: the fork asks for itself, and a refusal stops only it.
    const fork = await third.fork('r1', { edit: { key: 'turn:1/tool:1', value: { amount: 90 } } })
    expect(await third.resume(fork)).toMatchObject({ status: 'await_user' })
    const [again] = await third.approvals(fork)
    expect(again).toMatchObject({ input: { order: 'A-17', amount: 90 } })
    await third.reject(again!.id, 'too much')
    expect(await third.resume(fork)).toMatchObject({
      status: 'completed',
      text: 'I look it up.\nI pay 90 back.\nI may not pay it back.',
    })
    expect(ledger(dir)).toHaveLength(2)

    // Cancelled while it waits.
    const other = await third.run('support', 'Pay order A-17 back again.', { runId: 'r2' })
    expect(other.status).toBe('await_user')
    await third.cancel('r2', 'no longer needed')
    expect(await third.resume('r2')).toMatchObject({ status: 'cancelled' })
    expect(await third.approvals()).toEqual([])

    // Verified, every one of them, also by a process that has seen none of it.
    await third.stop()
    const last = await open(dir)
    for (const run of ['r1', 'r2', fork]) expect(await last.verify(run)).toMatchObject({ ok: true, problems: [] })
    const states = Object.fromEntries((await last.runs()).map(({ run, state }) => [run, state]))
    expect(states).toEqual({ r1: 'completed', r2: 'cancelled', [fork]: 'completed' })
    expect(await last.result('r1')).toEqual(result)
    expect(ledger(dir)).toEqual(['look_up A-17', 'refund A-17 40', 'look_up A-17'])
  })

  it('that is steered with another amount by its approver pays that amount, once', async () => {
    const dir = newFolder()
    const service = await open(dir)
    const waiting = await service.run('support', 'Pay order A-17 back.')
    const [request] = await service.approvals(waiting.id)
    await service.approve(request!.id, { edit: { order: 'A-17', amount: 35 } })
    const result = await service.resume(waiting.id)
    expect(result).toMatchObject({ status: 'completed' })
    expect(result.actions.at(-1)).toMatchObject({ toolId: 'refund', input: { amount: 35 }, output: 'paid' })
    expect(ledger(dir)).toEqual(['look_up A-17', 'refund A-17 35'])
    expect(await service.replay(waiting.id)).toMatchObject({ identical: true })
  })
})
