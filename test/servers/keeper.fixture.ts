// Keeps one server alive for whoever started this process, and not a moment longer: when the pipe from there closes, however that came about,
// the server ends and its folder goes. Says `up <url>` and `down` in lines; hears `crash`, `start` and `stop`.
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findPostgres, findRedis, findRestate } from './binaries.ts'
import type { Programs } from './binaries.ts'

export interface KeeperOrder {
  readonly kind: 'postgres' | 'redis' | 'restate'
  /** Whether the server forces its writes to the disk; what is not about that goes without. */
  readonly isSafe: boolean
  /** Of Postgres: its data are on a volume of their own of so many megabytes, which can be filled. Needs the right to mount one. */
  readonly volumeMb?: number | undefined
}

const order = JSON.parse(process.argv[2]!) as KeeperOrder
const programs = { postgres: findPostgres, redis: findRedis, restate: findRestate }[order.kind]()!
const folder = mkdtempSync(join(tmpdir(), `mandate-${order.kind}-`))
const port = await freePort()
/** Of Restate: where it is administered, and where its nodes meet. */
const [admin, nodes] = [await freePort(), await freePort()]
let server: ChildProcess | undefined
const data = join(folder, 'data')
const ballast = join(data, 'ballast')

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = probe.address() as AddressInfo
      probe.close(() => resolve(found))
    })
  })
}

function commandLine({ folder: bin }: Programs): string[] {
  if (order.kind === 'redis') {
    const saving = order.isSafe ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder]
    return [join(bin, 'redis-server'), ...place, '--save', '', ...saving]
  }
  if (order.kind === 'restate') return [join(bin, 'restate-server'), '--no-logo', '-c', join(folder, 'restate.toml')]
  const safety = order.isSafe ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off']
  const small = ['-c', 'min_wal_size=2MB', '-c', 'max_wal_size=8MB', '-c', 'checkpoint_timeout=30s']
  const place = ['-D', pgdata(), '-k', folder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1']
  return [
    join(bin, 'postgres'),
    ...place,
    '-c',
    'max_connections=200',
    ...safety,
    ...(order.volumeMb === undefined ? [] : small),
  ]
}

function prepare({ folder: bin, as }: Programs): void {
  if (order.kind === 'redis') return
  if (order.kind === 'restate') return writeFileSync(join(folder, 'restate.toml'), restateSettings())
  if (as !== undefined) chownSync(folder, as.uid, as.gid)
  const how = ['-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  if (order.volumeMb !== undefined) mountVolume(order.volumeMb, as)
  const segments = order.volumeMb === undefined ? [] : ['--wal-segsize=1']
  execFileSync(join(bin, 'initdb'), ['-D', pgdata(), ...how, ...segments], { cwd: folder, stdio: 'pipe', ...as })
}

/** Not the root of the volume, which has the ballast as well. */
function pgdata(): string {
  return order.volumeMb === undefined ? data : join(data, 'pg')
}

function mountVolume(megabytes: number, as: Programs['as']): void {
  mkdirSync(data)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', data], { stdio: 'pipe' })
  if (as !== undefined) chownSync(data, as.uid, as.gid)
}

/** Takes all room that is left. */
function fill(): void {
  const file = openSync(ballast, 'a')
  try {
    for (let size = 1 << 20; size >= 1;) {
      try {
        writeSync(file, new Uint8Array(size))
      } catch {
        size >>= 1
      }
    }
  } finally {
    closeSync(file)
  }
  process.stdout.write('full\n')
}

/** A server that could not write its log has ended; it finds its way back from what it wrote before. */
async function free(): Promise<void> {
  rmSync(ballast, { force: true })
  if (server !== undefined && server.exitCode === null && server.signalCode === null)
    return void process.stdout.write('up\n')
  await start()
}

/** Few streams on a connection, so that workers that share a port share the work. */
function restateSettings(): string {
  return `node-name = "one"
cluster-name = "tests"
base-dir = "${folder}/data"
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${nodes}
advertised-address = "http://127.0.0.1:${nodes}"
auto-provision = true
disable-telemetry = true
default-num-partitions = 4
rocksdb-total-memory-size = "128 MB"
[ingress]
bind-address = "127.0.0.1:${port}"
[admin]
bind-address = "127.0.0.1:${admin}"
[worker.invoker]
http2-streams-per-connection-limit = 4
`
}

async function start(): Promise<void> {
  const [command, ...args] = commandLine(programs)
  const child = spawn(command!, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...programs.as })
  server = child
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (piece: Buffer): void => {
      said = `${said}${String(piece)}`.slice(-4_000)
      if (/ready to accept connections/i.test(said)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`${order.kind} ended with ${code}: ${said}`)))
    if (order.kind === 'restate') void untilHealthy().then(resolve)
  })
  const urls = {
    redis: `redis://127.0.0.1:${port}`,
    postgres: `postgres://postgres@127.0.0.1:${port}/postgres`,
    restate: `http://127.0.0.1:${port}#http://127.0.0.1:${admin}`,
  }
  process.stdout.write(`up ${urls[order.kind]}\n`)
}

async function untilHealthy(): Promise<void> {
  const places = [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${port}/restate/health`]
  for (const place of places) while (!(await isWell(place))) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function isWell(place: string): Promise<boolean> {
  try {
    return (await fetch(place)).ok
  } catch {
    return false
  }
}

/** For Postgres this is the immediate shutdown, which is a crash for those who use it; for Redis the real thing. */
async function end(signal: NodeJS.Signals): Promise<void> {
  const child = server
  server = undefined
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

async function leave(): Promise<void> {
  await end(order.kind === 'postgres' ? 'SIGQUIT' : 'SIGKILL')
  if (order.volumeMb !== undefined && existsSync(data)) execFileSync('umount', ['-l', data], { stdio: 'pipe' })
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
}

async function obey(word: string): Promise<void> {
  if (word === 'start') return start()
  if (word === 'stop') return leave()
  if (word === 'fill') return fill()
  if (word === 'free') return free()
  await end(order.kind === 'postgres' ? 'SIGQUIT' : 'SIGKILL')
  process.stdout.write('down\n')
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`)
  void leave()
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
const lines = createInterface({ input: process.stdin })
lines.on('line', (word) => void obey(word).catch(fail))
lines.on('close', () => void leave())
try {
  prepare(programs)
  await start()
} catch (error) {
  fail(error)
}
