// The clients of the benchmark, in a separate process: each follows one run and stores what it needs to detect a lost or duplicate entry.
import { Agent, request } from 'node:http'
import { sinceWord } from './moment-word.ts'

interface Task {
  readonly url: string
  readonly token: string
  readonly runs: readonly string[]
  /** Whether it is disconnected once in the middle, and resumed. */
  readonly isCut: boolean
  /** Whether it is idle: it only stays connected. */
  readonly isIdle: boolean
}

interface Client {
  lastId: string | undefined
  readonly seqs: number[]
  text: string
  isEnded: boolean
  isCut: boolean
}

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
const latencies: number[] = []
let events = 0
/** The number of clients that have not connected yet. */
let missing = 0

function connected(): void {
  if (--missing === 0) process.send!('connected')
}

function follow({ url, token, isCut, isIdle }: Task, run: string, client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(client.lastId === undefined ? {} : { 'last-event-id': client.lastId }),
    }
    const sent = request(`${url}/api/runs/${run}/events`, { agent, headers }, (answer) => {
      if (answer.statusCode === 204) client.isEnded = true
      else if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
      if (isIdle) resolve()
      if (answer.statusCode === 200) connected()
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        const at = process.hrtime.bigint()
        text += chunk
        const end = text.lastIndexOf('\n\n')
        if (end < 0) return
        for (const block of text.slice(0, end).split('\n\n')) add(client, block, at)
        text = text.slice(end + 2)
        if (isCut && !client.isCut && client.text.length > 100) {
          client.isCut = true
          answer.destroy()
        }
      })
      answer.on('close', () => {
        if (isIdle || client.isEnded) resolve()
        else follow({ url, token, isCut, isIdle, runs: [] }, run, client).then(resolve, reject)
      })
      answer.on('error', () => {})
    })
    sent.on('error', reject)
    sent.end()
  })
}

function add(client: Client, block: string, at: bigint): void {
  const id = /^id: (\d+)$/m.exec(block)?.[1]
  if (id !== undefined) {
    client.lastId = id
    client.seqs.push(Number(id))
  }
  if (block.startsWith('event: end')) client.isEnded = true
  const data = /^data: (.*)$/m.exec(block)?.[1]
  if (data === undefined || !data.includes('"text-delta"')) return
  events++
  const { text, offset } = (JSON.parse(data) as { data: { text: string; offset: number } }).data
  client.text = client.text.slice(0, offset) + text
  // The text of a completed call is sent again from the journal, and text missed while disconnected is not a valid measurement either.
  const words = text.trim().split(' ')
  if (words.length === 1) latencies.push(sinceWord(words[0]!, at))
}

process.on('message', (task: Task) => void carryOut(task))

async function carryOut(task: Task): Promise<void> {
  latencies.length = 0
  events = 0
  missing = task.runs.length
  const clients = task.runs.map((): Client => ({ lastId: undefined, seqs: [], text: '', isEnded: false, isCut: false }))
  const began = performance.now()
  // In batches, because the listener's queue of pending connections (backlog) is limited.
  const waiting: Promise<void>[] = []
  let failed = 0
  for (let from = 0; from < task.runs.length; from += 200) {
    const batch = task.runs
      .slice(from, from + 200)
      .map((run, at) => follow(task, run, clients[from + at]!).catch(() => void failed++))
    waiting.push(...batch)
    await (task.isIdle ? Promise.all(batch) : new Promise((resolve) => setImmediate(resolve)))
  }
  await Promise.all(waiting)
  const isWrong = ({ seqs }: Client): boolean => seqs.some((seq, index) => seq !== index + 1)
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0
  process.send!({
    failed,
    wrong: clients.filter(isWrong).length,
    entries: clients.reduce((sum, { seqs }) => sum + seqs.length, 0),
    words: clients.map(({ text }) => text.trim().split(' ').length),
    ended: clients.filter(({ isEnded }) => isEnded).length,
    cut: clients.filter((client) => client.isCut).length,
    events,
    p50: at(0.5),
    p99: at(0.99),
    ms: performance.now() - began,
  })
}
process.on('disconnect', () => process.exit(0))
process.send!('ready')
