// Two workers and a client share a database. One worker is killed in the middle; the other one goes on with its runs, and nothing is lost or done twice.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startPostgres } from './postgres.ts'
import { STEPS, openService } from './service.ts'

const RUNS = 6
const folder = mkdtempSync(join(tmpdir(), 'mandate-packed-'))
const file = (process.env['PACKED'] = join(folder, 'packed.txt'))
const packed = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])

async function startWorker(url: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('worker.ts', import.meta.url))
  const flags = [...process.execArgv, '--disable-warning=DeprecationWarning']
  const worker = spawn(process.execPath, [...flags, program, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => worker.stdout.once('data', resolve))
  console.log(`worker ${worker.pid} is up`)
  return worker
}

const server = await startPostgres()
if (server === undefined) {
  console.log('Install Postgres (apt install postgresql), or set DATABASE_URL to the URL of a server.')
  process.exit(0)
}
const [first, second] = await Promise.all([startWorker(server.url), startWorker(server.url)])
const client = await openService(server.url, 'client')

const runs = Array.from({ length: RUNS }, (_, order) => client.run('packer', `Pack order ${order}.`))
console.log(`${RUNS} runs were started by ${process.pid}, which drives none of them`)
// Whichever of the two has begun.
while (packed().length === 0) await wait(20)
const isFirst = packed()[0]!.endsWith(` ${first.pid}`)
const [killed, other] = isFirst ? [first, second] : [second, first]
killed.kill('SIGKILL')
console.log(`worker ${killed.pid} was killed after ${packed().length} calls`)

const results = await Promise.all(runs)
console.log(`${results.filter(({ status }) => status === 'completed').length} of ${RUNS} runs completed`)
for (const { id } of results) if (!(await client.verify(id)).ok) throw new Error(`The journal of ${id} is damaged.`)

const keys = packed().map((line) => line.split(' ')[1])
const distinct = new Set(keys).size
console.log(
  `${distinct} of ${RUNS * STEPS} calls were made; ${keys.length - distinct} in flight at the kill were made again, with the same key`,
)
const byWorker = [killed, other].map(
  ({ pid }) => `${packed().filter((line) => line.endsWith(` ${pid}`)).length} by ${pid}`,
)
console.log(byWorker.join(', '))

const ended = new Promise<number | null>((resolve) => other.once('exit', resolve))
other.kill('SIGTERM')
console.log(`worker ${other.pid} was told to leave, and ended with ${await ended}`)
await client.stop()
await server.stop()
rmSync(folder, { recursive: true, force: true })
if (distinct !== RUNS * STEPS) process.exit(1)
