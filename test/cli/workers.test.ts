import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { openStore } from 'mandate/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { REFUND, ROOT, commandLine, environment, mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

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
    expect(started).toMatchObject({ code: 0, notes: expect.stringContaining('no worker is running') })
    const { runId } = JSON.parse(started.out) as { runId: string }
    expect(JSON.parse((await mandate('workers', '--json', ...dir)).out)).toMatchObject({
      workers: [],
      queues: [{ name: 'default', queued: 1 }],
    })
    const first = await worker(url)
    const waiting = async (): Promise<{ id: string }[]> =>
      JSON.parse((await mandate('inbox', '--json', ...dir)).out) as { id: string }[]
    await expect.poll(waiting).toMatchObject([{ id: expect.stringContaining(runId) }])
    const [{ id } = { id: '' }] = await waiting()
    // Answered while no worker is running: the wake-up waits for one, and nobody is told to drive the run here.
    const left = new Promise((resolve) => first.once('exit', resolve))
    first.kill('SIGTERM')
    expect(await left).toBe(0)
    const approved = await mandate('approve', id, ...dir)
    expect(approved).toMatchObject({
      code: 0,
      notes: expect.stringContaining('start one to continue it'),
    })
    expect(approved.notes).not.toContain('mandate resume')
    expect(JSON.parse((await mandate('runs', '--json', ...dir)).out)).toMatchObject([{ held: 'no worker is up' }])
    const taking = await worker(url)
    await expect.poll(async () => (await mandate('runs', ...dir)).out).toContain('completed')
    expect(refunds()).toBe('A-17\n')
    // A worker tells what it holds with each heartbeat.
    await expect.poll(async () => (await mandate('workers', ...dir)).out).toMatch(/ up +0\/50 /)
    const end = new Promise((resolve) => taking.once('exit', resolve))
    taking.kill('SIGTERM')
    expect(await end).toBe(0)
  },
)

test.skipIf(!has('postgres'))(
  'whoever hands runs to workers without the package for it is told which one to install, a server before it serves',
  async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith('@dbos-inc/')) throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
        return next(name, context)
      } })`
    const env = { ...environment(), NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` }
    for (const words of [
      ['worker', REFUND],
      ['run', REFUND, 'Go.', '--detach'],
      ['serve', REFUND, '--engine', 'dbos', '--port', '0'],
    ]) {
      const [command, ...args] = commandLine([...words, '--dir', url])
      const { status, stderr } = spawnSync(command!, args, { cwd: ROOT, env, encoding: 'utf8', timeout: 30_000 })
      expect([words[0], status, stderr]).toEqual([
        ...[words[0], 6],
        expect.stringContaining('npm install @dbos-inc/dbos-sdk'),
      ])
    }
  },
)

test('workers need a database that machines can share, and say so before a store is made', async () => {
  for (const words of [
    ['worker', REFUND],
    ['run', REFUND, 'Go.', '--detach'],
    ['serve', REFUND, '--engine', 'dbos'],
  ]) {
    expect(await mandate(...words)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('--dir postgres://'),
    })
    expect(existsSync(store())).toBe(false)
  }
  expect(await mandate('worker', REFUND, '--store', 'postgrs://x')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('"postgrs://" is neither'),
  })
  expect(existsSync('postgrs:')).toBe(false)
})

test('a worker that would take nothing is refused', async () => {
  const url = 'postgres://nobody@127.0.0.1:1/none'
  for (const [flag, value, message] of [
    ['--concurrency', '0', '--concurrency must be a whole number above 0'],
    ['--queues', '', 'no name of a queue'],
  ] as const)
    expect(await mandate('worker', REFUND, '--dir', url, flag, value)).toMatchObject({
      notes: expect.stringContaining(message),
    })
})

test('a text to a run is read at its next turn, wherever it is driven; --store is --dir', async () => {
  const waiting = await mandate('run', REFUND, 'Pay it back.', '--json', '--no-input')
  const { id } = JSON.parse(waiting.out) as { id: string }
  expect(await mandate('steer', id, 'Be', 'quick.', '--store', store())).toMatchObject({ code: 0, notes: '' })
  const { journal, data } = await openStore({ dir: store() })
  const signals = await journal.signals(id)
  await Promise.all([journal.close(), data.close()])
  expect(signals).toMatchObject([{ type: 'steer', data: 'Be quick.' }])
  expect(await mandate('steer', 'nobody', 'Hello')).toMatchObject({ notes: expect.stringContaining('no run "nobody"') })
  expect(await mandate('runs', '--dir', store(), '--store', 'there')).toMatchObject({ code: 2 })
})
