import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newToken } from 'mandate/server'
import type { Section } from './report.ts'

const LIVE = 1_000
const IDLE = 10_000
const WORDS = 40
const MB = 1_048_576

interface Followed {
  readonly failed: number
  readonly wrong: number
  readonly entries: number
  readonly words: readonly number[]
  readonly ended: number
  readonly cut: number
  readonly events: number
  readonly p50: number
  readonly p99: number
  readonly ms: number
}

interface Measured {
  readonly rss: number
  readonly peak: number
  readonly delayP99: number
}

/**
 * Measures the capacity of one server process: clients on live runs, idle clients, and the latency added to each piece of text. The clients are in another
 * process.
 */
export async function server(): Promise<Section> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-bench-server-'))
  const token = newToken()
  const serving = start('./server/serving.ts', [dir, token])
  const clients = start('./server/clients.ts', [])
  try {
    const url = await next<string>(serving)
    await next(clients)
    const ask = async <T>(child: ChildProcess, message: object): Promise<T> => {
      child.send(message)
      return next<T>(child)
    }
    const runs = (agent: string, count: number): Promise<string[]> => ask(serving, { do: 'start', agent, count })
    const follow = async (
      ids: readonly string[],
      how: { isCut?: boolean; isIdle?: boolean } = {},
    ): Promise<Followed> => {
      await ask(clients, { url, token, runs: ids, isCut: false, isIdle: false, ...how })
      await ask(serving, { do: 'go' })
      return next<Followed>(clients)
    }

    const one = await follow(await runs('single', 1))
    const before = await ask<Measured>(serving, { do: 'reset' })
    const live = await follow(await runs('live', LIVE), { isCut: true })
    const during = await ask<Measured>(serving, { do: 'measure' })

    const waiting = await runs('idle', 100)
    const empty = await ask<Measured>(serving, { do: 'reset' })
    const silent = await follow(
      Array.from({ length: IDLE }, (_, index) => waiting[index % waiting.length]!),
      { isIdle: true },
    )
    const holding = await ask<Measured>(serving, { do: 'measure' })
    const short = live.words.filter((count) => count !== WORDS).length
    const lost = live.wrong + live.failed + (LIVE - live.ended) + short
    return section({ one, live, lost, silent, before, during, empty, holding })
  } finally {
    serving.kill('SIGKILL')
    clients.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Figures {
  readonly one: Followed
  readonly live: Followed
  readonly lost: number
  readonly silent: Followed
  readonly before: Measured
  readonly during: Measured
  readonly empty: Measured
  readonly holding: Measured
}

function section({ one, live, lost, silent, before, during, empty, holding }: Figures): Section {
  const perClient = (holding.rss - empty.rss) / IDLE / 1_024
  return {
    tables: [
      {
        title: 'Event streams of the server',
        note: `SQLite, loopback, clients in a process of their own. Live: ${LIVE} runs that say ${WORDS} words each, one every 500 ms, each followed by one client that is cut once in the middle and resumes by its last id. Latency: from the model to the client, through run, gate, feed and HTTP.`,
        columns: ['clients', 'ms p50 per piece', 'ms p99 per piece', 'MB of the server', 'ms loop delay p99'],
        rows: [
          ['one client', 1, one.p50, one.p99, before.rss / MB, '–'],
          ['live runs', LIVE, live.p50, live.p99, during.peak / MB, during.delayP99],
          ['silent', IDLE - silent.failed, '–', '–', holding.rss / MB, holding.delayP99],
        ],
      },
      {
        title: 'What clients of live runs got',
        columns: ['entries', 'pieces of text', 'resumed', 'clients that lost or doubled anything'],
        rows: [['all clients', live.entries, live.events, live.cut, lost]],
      },
    ],
    goals: [
      { name: 'clients on live runs that lost or doubled anything', measured: lost, atMost: 0 },
      { name: 'silent clients that are held', measured: IDLE - silent.failed, atLeast: IDLE },
      { name: 'KB of the server for a silent client', measured: perClient, atMost: 60 },
      { name: 'MB that 1,000 clients on live runs add', measured: (during.peak - before.rss) / MB, atMost: 400 },
      { name: 'ms that the server adds to a piece of text, p50', measured: one.p50, atMost: 1 },
    ],
  }
}

function start(file: string, args: readonly string[]): ChildProcess {
  const execArgv = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning', '--expose-gc']
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], { execArgv })
}

function next<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`a process of the benchmark ended with ${code}`))
    child.once('exit', gone)
    child.once('message', (message) => {
      child.off('exit', gone)
      resolve(message as T)
    })
  })
}
