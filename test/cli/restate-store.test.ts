import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { ENGINE_PART } from '../../src/engine/members/tables.ts'
import { linkTo, migrate } from '../../src/store/postgres/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { REFUND, ROOT, commandLine, environment, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

/** The agent of `REFUND`, with an export that says where Restate is. */
function fileWith(restate: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-restate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'agents.ts')
  const lines = [`export { default } from ${JSON.stringify(resolve(ROOT, REFUND))}`]
  writeFileSync(file, [...lines, `export const restate = ${JSON.stringify(restate)}`].join('\n'))
  return file
}

async function worker(file: string, url: string): Promise<ChildProcess> {
  const [command, ...args] = commandLine(['worker', file, '--port', '0', '--dir', url, '--json'])
  const child = spawn(command!, args, { cwd: ROOT, env: environment() })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  await new Promise<void>((go, reject) => {
    child.stdout.once('data', () => go())
    child.once('exit', () => reject(new Error(notes)))
  })
  return child
}

test.skipIf(!has('postgres') || !has('restate'))(
  'a file that exports `restate` has workers on Restate: a detached run waits for one, is answered from anywhere, and is done once',
  async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
    const file = fileWith({ ingress, admin })
    const dir = ['--dir', url]
    const started = await mandate('run', file, 'Pay it back.', '--detach', '--json', '--priority', 'low', ...dir)
    expect(started).toMatchObject({ code: 0, notes: expect.stringContaining('no worker is running') })
    expect(started.notes).toContain('--priority changes nothing')
    const { runId } = JSON.parse(started.out) as { runId: string }
    const list = async (): Promise<unknown> => JSON.parse((await mandate('runs', '--json', ...dir)).out)
    expect(await list()).toMatchObject([{ run: runId, held: 'no worker is up' }])
    const first = await worker(file, url)
    const waiting = async (): Promise<{ id: string }[]> =>
      JSON.parse((await mandate('inbox', '--json', ...dir)).out) as { id: string }[]
    await expect.poll(waiting, { timeout: 30_000 }).toMatchObject([{ id: expect.stringContaining(runId) }])
    const [{ id } = { id: '' }] = await waiting()
    const left = new Promise((end) => first.once('exit', end))
    first.kill('SIGTERM')
    expect(await left).toBe(0)
    expect(await mandate('approve', id, ...dir)).toMatchObject({ code: 0 })
    expect(await list()).toMatchObject([{ run: runId, held: 'no worker is up' }])
    await worker(file, url)
    await expect.poll(async () => (await mandate('runs', ...dir)).out, { timeout: 30_000 }).toContain('completed')
    expect(refunds()).toBe('A-17\n')
    expect(JSON.parse((await mandate('workers', '--json', ...dir)).out)).toMatchObject({
      workers: [{ engine: 'restate', state: 'up' }],
    })
    // Workers of another engine would never hear of these runs.
    for (const words of [
      ['worker', file],
      ['serve', file, '--port', '0'],
    ])
      expect(await mandate(...words, '--engine', 'dbos', ...dir)).toMatchObject({
        code: 6,
        notes: expect.stringContaining('give --engine restate'),
      })
  },
  120_000,
)

test.skipIf(!has('postgres'))(
  'over a store whose workers use Restate, answers wake their runs by the outbox, and new runs wait there while Restate is away',
  async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const dir = ['--dir', url]
    expect(await mandate('run', REFUND, 'Pay it back.', '--no-input', ...dir)).toMatchObject({ code: 4 })
    const link = linkTo(url, 1)
    onTestFinished(() => link.close())
    await migrate(link, ENGINE_PART)
    await link.query(`INSERT INTO ${link.table('workers')} (id, owner, place, version, protocol, minds, queues, concurrency, engine)
      VALUES ('w', 'o', 'far:1', 'v', 1, '{}', '[]', 1, 'restate')`)
    const [{ id }] = JSON.parse((await mandate('inbox', '--json', ...dir)).out) as [{ id: string }]
    expect(await mandate('approve', id, ...dir)).toMatchObject({
      code: 0,
      notes: expect.stringContaining('continue it'),
    })
    const outbox = async (): Promise<unknown> =>
      (await link.query(`SELECT run, from_seq > 0 AS placed FROM ${link.table('restate_outbox')} ORDER BY run`)).rows
    const answered = { run: id.split('-ap')[0], placed: true }
    expect(await outbox()).toEqual([answered])
    const away = fileWith({ ingress: 'http://127.0.0.1:1' })
    const { code, out } = await mandate('run', away, 'Go.', '--detach', '--json', ...dir)
    expect(code).toBe(0)
    const { runId } = JSON.parse(out) as { runId: string }
    expect(await outbox()).toEqual([answered, { run: runId, placed: true }])
  },
)

test('what cannot be meant of workers on Restate is refused before the store is opened', async () => {
  const dir = ['--dir', 'postgres://nobody@127.0.0.1:1/none']
  for (const [words, message] of [
    [[REFUND, '--engine', 'restate', '--queues', 'a'], 'have no queues'],
    [[REFUND, '--engine', 'local'], '--engine is dbos or restate'],
    [[REFUND, '--engine', 'kafka'], '--engine is dbos, restate, local'],
    [[REFUND, '--port', '9080'], 'belong to --engine restate'],
    [[REFUND, '--engine', 'restate', '--host', '0.0.0.0'], 'give `worker.uri`'],
    [[fileWith('http://127.0.0.1:8080')], 'exported that is no object'],
    [[fileWith({ adress: 'x' })], 'adress'],
  ] as const)
    expect(await mandate('worker', ...words, ...dir)).toMatchObject({ notes: expect.stringContaining(message) })
})
