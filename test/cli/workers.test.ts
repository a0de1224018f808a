import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { REFUND, ROOT, commandLine, environment, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

/** Starts a worker, and waits until it takes runs. */
async function worker(url: string): Promise<ChildProcess> {
  const [command, ...args] = commandLine(['worker', REFUND, '--dir', url, '--json'])
  const child = spawn(command!, args, { cwd: ROOT, env: environment() })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', () => reject(new Error(notes)))
  })
  return child
}

test.skipIf(!has('postgres'))(
  'a run that is detached is driven by a worker, waits for an answer from anywhere, and is done once',
  async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const dir = ['--dir', url]
    // Handed over before any worker is there: it waits, and the list says so.
    const started = await mandate('run', REFUND, 'Pay it back.', '--detach', '--json', ...dir)
    expect(started).toMatchObject({ code: 0, notes: expect.stringContaining('no worker is up') })
    const { runId } = JSON.parse(started.out) as { runId: string }
    expect(JSON.parse((await mandate('workers', '--json', ...dir)).out)).toMatchObject({
      workers: [],
      queues: [{ name: 'default', queued: 1 }],
    })
    const taking = await worker(url)
    const waiting = async (): Promise<{ id: string }[]> =>
      JSON.parse((await mandate('inbox', '--json', ...dir)).out) as { id: string }[]
    await expect.poll(waiting).toMatchObject([{ id: expect.stringContaining(runId) }])
    const [{ id } = { id: '' }] = await waiting()
    expect(await mandate('approve', id, ...dir)).toMatchObject({
      code: 0,
      notes: expect.stringContaining('a worker goes on with it'),
    })
    await expect.poll(async () => (await mandate('runs', ...dir)).out).toContain('completed')
    expect(refunds()).toBe('A-17\n')
    // A worker tells what it holds with each heartbeat.
    await expect.poll(async () => (await mandate('workers', ...dir)).out).toMatch(/ up +0\/50 /)
    const end = new Promise((resolve) => taking.once('exit', resolve))
    taking.kill('SIGTERM')
    expect(await end).toBe(0)
  },
)

test('workers need a database that machines can share, and say so', async () => {
  for (const words of [
    ['worker', REFUND],
    ['run', REFUND, 'Go.', '--detach'],
  ])
    expect(await mandate(...words)).toMatchObject({ code: 2, notes: expect.stringContaining('--dir postgres://') })
})
