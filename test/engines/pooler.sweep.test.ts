import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { dbosEngine, restateEngine } from '../../src/engine/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { minds, toolsOf } from '../chaos/minds.ts'
import { announceSkip } from '../rotation.ts'
import { findPostgres } from '../servers/binaries.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
const pgbouncer = folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file))
const canRun = pgbouncer !== undefined && has('postgres')
if (!canRun) announceSkip('tests that need pgbouncer', 'install pgbouncer and postgresql')

/** A real PgBouncer before the shared server; the URL that leads through it. */
async function pooled(mode: 'transaction' | 'session'): Promise<string> {
  const server = new URL(await sharedServer('postgres'))
  const folder = mkdtempSync(join(tmpdir(), 'mandate-pooler-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 30
`,
  )
  // It refuses to run as root, as Postgres does.
  const as = findPostgres()?.as
  if (as !== undefined) for (const path of [folder, file]) chownSync(path, as.uid, as.gid)
  const child = spawn(pgbouncer!, [file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, ...as })
  onTestFinished(async () => {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(`pgbouncer ended: ${said}`)))
  })
  server.port = String(port)
  return `${server.href}?schema=t_${systemRandom.hex(8)}`
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

const refusal = { code: 'CONFIG_INVALID', message: expect.stringMatching(/pooler in transaction mode.*session mode/su) }

test.skipIf(!canRun)('PgBouncer in transaction mode is refused by name, by workers and by clients', async () => {
  const url = await pooled('transaction')
  const restate = { store: url, ingress: 'http://127.0.0.1:1', admin: 'http://127.0.0.1:2' }
  const engines: readonly Engine[] = [
    dbosEngine({ url, role: 'worker' }),
    dbosEngine({ url }),
    restateEngine({ ...restate, worker: {} }),
    restateEngine(restate),
  ]
  for (const engine of engines) {
    await expect(engine.attach({} as never)).rejects.toMatchObject(refusal)
    await engine.stop()
  }
})

test.skipIf(!canRun)('PgBouncer in session mode is as good as the server itself', async () => {
  const url = await pooled('session')
  const journal = postgresJournal({ url, poolSize: 4 })
  const kernel = new Kernel({ journal, engine: dbosEngine({ url, role: 'worker' }) })
  for (const mind of minds) kernel.registry.registerMind(mind)
  const folder = mkdtempSync(join(tmpdir(), 'mandate-world-'))
  for (const tool of toolsOf(join(folder, 'world'))) kernel.registry.registerTool(tool)
  onTestFinished(async () => {
    await kernel.stop()
    await journal.close()
    rmSync(folder, { recursive: true })
  })
  await kernel.attach()
  const outcome = await kernel.run({ kind: 'program', name: 'child', input: null, runId: 'whole' })
  expect(outcome.state).toBe('completed')
})

/** The shared server as one of version 12 would speak of itself. */
async function aged(): Promise<string> {
  const server = new URL(await sharedServer('postgres'))
  const target = { port: Number(server.port), host: server.hostname }
  const proxy = createServer((client) => {
    const behind = connect(target)
    for (const socket of [client, behind]) socket.on('error', () => {})
    client.pipe(behind)
    behind.on('data', (chunk) => {
      const text = chunk.toString('latin1').replaceAll(/PostgreSQL \d\d(?=[. ])/gu, 'PostgreSQL 12')
      client.write(Buffer.from(text.replaceAll(/(?<!\d)1[3-9](?=\d{4}(?!\d))/gu, '12'), 'latin1'))
    })
    behind.on('close', () => client.destroy())
    client.on('close', () => behind.destroy())
  })
  onTestFinished(() => void proxy.close())
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', () => resolve()))
  server.port = String((proxy.address() as AddressInfo).port)
  return `${server.href}?schema=t_${systemRandom.hex(8)}`
}

test.skipIf(!has('postgres'))('a server that is too old is refused by name, by workers and by clients', async () => {
  const url = await aged()
  const restate = { store: url, ingress: 'http://127.0.0.1:1', admin: 'http://127.0.0.1:2' }
  const engines: readonly Engine[] = [
    dbosEngine({ url, role: 'worker' }),
    dbosEngine({ url }),
    restateEngine({ ...restate, worker: {} }),
    restateEngine(restate),
  ]
  for (const engine of engines) {
    await expect(engine.attach({} as never)).rejects.toMatchObject({
      code: 'VERSION_UNSUPPORTED',
      message: expect.stringMatching(/is PostgreSQL 12.*Postgres 13 or later/u),
    })
    await engine.stop()
  }
})
