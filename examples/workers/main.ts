// Two workers and a client share a database. One worker is killed in the middle; the other one goes on with its runs, nothing is lost, and what must not be done twice is not.
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
const shippedFile = (process.env['SHIPPED'] = join(folder, 'shipped.txt'))
const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [])
const packed = (): string[] => linesOf(file)
const shipped = (): string[] => linesOf(shippedFile)

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
while (shipped().length === 0) await wait(20)
const isFirst = shipped()[0]!.endsWith(` ${first.pid}`)
const [killed, other] = isFirst ? [first, second] : [second, first]
killed.kill('SIGKILL')
console.log(`worker ${killed.pid} was killed while it shipped`)

const results = await Promise.all(runs)
const inDoubt = await client.approvals()
console.log(
  `${inDoubt.length > 0 ? 'some' : 'no'} shipments are in doubt: the carrier may have them or not, so none is repeated`,
)
// A person asks the carrier, which here is a file.
for (const { id, run } of inDoubt) {
  if (shipped().some((line) => line.startsWith(`${run} `))) await client.settle(id, 'happened', 'shipped')
  else await client.settle(id, 'not-happened')
}
while ((await client.journal.list({ state: ['running', 'suspended'] })).length > 0) await wait(50)
console.log(`${(await client.journal.list({ state: 'completed' })).length} of ${RUNS} runs completed`)
for (const { id } of results) if (!(await client.verify(id)).ok) throw new Error(`The journal of ${id} is damaged.`)
console.log(
  `${new Set(shipped().map((line) => line.split(' ')[0])).size} orders were shipped, with ${shipped().length} calls`,
)

const keys = packed().map((line) => line.split(' ')[1])
const distinct = new Set(keys).size
console.log(
  `${distinct} of ${RUNS * STEPS} items were packed; calls that were in flight at a kill are made again, with the same key (${keys.length - distinct} here)`,
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
const shippedCalls = shipped().length
rmSync(folder, { recursive: true, force: true })
if (distinct !== RUNS * STEPS || shippedCalls !== RUNS) process.exit(1)
