import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { httpFetch } from 'mandate/connect'
import type { Tool, ToolContext } from 'mandate/tool'
import { Agent, request } from 'undici'
import { median } from './harness.ts'
import type { Section } from './report.ts'

/** Short alternating rounds, so that noise affects both sides equally. */
const CALLS = 300
const ROUNDS = 41
const PARALLEL = 8
/** Bytes of the response body: a small API document. */
const BYTES = 2_000

interface Side {
  readonly name: string
  call(url: string): Promise<void>
}

const context = {
  signal: new AbortController().signal,
  idempotencyKey: 'bench',
  emit: () => {},
} as unknown as ToolContext

function connector(tool: Tool): Side {
  return {
    name: 'httpFetch',
    async call(url) {
      const { status, body } = (await tool.run({ url }, context)) as { status: number; body: string }
      if (status !== 200 || body.length < BYTES)
        throw new Error(`The answer is ${status} with ${body.length} characters.`)
    },
  }
}

function bare(agent: Agent): Side {
  return {
    name: 'undici alone',
    async call(url) {
      const { statusCode, body } = await request(url, { dispatcher: agent })
      const text = await body.text()
      if (statusCode !== 200 || text.length < BYTES) throw new Error(`The answer is ${statusCode}.`)
    },
  }
}

/** Measures CPU time of this thread and wall time per call in microseconds, with a few concurrent calls on keep-alive connections. */
async function timed(side: Side, url: string, calls: number): Promise<{ cpu: number; wall: number }> {
  const cpu = process.threadCpuUsage()
  const start = process.hrtime.bigint()
  let left = calls
  const strand = async (): Promise<void> => {
    while (left-- > 0) await side.call(url)
  }
  await Promise.all(Array.from({ length: PARALLEL }, strand))
  const { user, system } = process.threadCpuUsage(cpu)
  return { cpu: (user + system) / calls, wall: Number(process.hrtime.bigint() - start) / 1000 / calls }
}

/** Compares the connector with its underlying client, against a server on another thread. */
export async function connect(): Promise<Section> {
  const server = new Worker(new URL('./loopback-server.ts', import.meta.url), { workerData: { bytes: BYTES } })
  const [port] = (await once(server, 'message')) as [number]
  const host = `127.0.0.1:${port}`
  const agent = new Agent({ connections: 32 })
  const sides = [bare(agent), connector(httpFetch({ allow: [host] }))].map((side) => ({
    side,
    cpu: [] as number[],
    wall: [] as number[],
  }))
  try {
    for (const { side } of sides) await timed(side, `http://${host}/`, CALLS * 10)
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of round % 2 === 0 ? sides : sides.toReversed()) {
        const { cpu, wall } = await timed(one.side, `http://${host}/`, CALLS)
        one.cpu.push(cpu)
        one.wall.push(wall)
      }
    }
  } finally {
    await agent.destroy()
    await server.terminate()
  }
  const [alone, ours] = sides
  const ratio = (key: 'cpu' | 'wall'): number => median(ours![key].map((time, round) => time / alone![key][round]!))
  return {
    tables: [
      {
        title: 'The HTTP connector beside its client',
        note: `GET of ${BYTES} bytes of JSON on loopback, ${PARALLEL} at a time, connections kept; the server runs on a thread of its own, and CPU is that of the caller's thread.`,
        columns: ['µs per call', 'µs CPU per call'],
        rows: sides.map(({ side, cpu, wall }) => [side.name, median(wall), median(cpu)]),
      },
    ],
    goals: [
      { name: 'time per call of the HTTP connector beside undici alone', measured: ratio('wall'), atMost: 1.5 },
      { name: 'CPU per call of the HTTP connector beside undici alone', measured: ratio('cpu'), atMost: 1.5 },
    ],
  }
}
