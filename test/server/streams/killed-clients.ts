import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entriesOfType, readAll } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { newToken } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import { expect } from 'vitest'
import { RunClient, sseEvents } from './sse-client.ts'

const SERVER = fileURLToPath(new URL('killed-server.ts', import.meta.url))
const FLAGS = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']

interface Started {
  readonly child: ChildProcess
  readonly port: number
}

function start(folder: string, token: string, port: number, words: number): Promise<Started> {
  const child = fork(SERVER, [folder, String(port), token, String(words)], { execArgv: FLAGS })
  return new Promise((resolve, reject) => {
    child.once('message', (bound) => resolve({ child, port: bound as number }))
    child.once('exit', (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)))
  })
}

function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

/** What one client of the server has got. */
interface Client {
  /** Whether it has seen something that this process said. */
  hasHeard(pid: string): boolean
  readonly isEnded: boolean
}

/** Clients of a server that is killed, and what they must have in the end. */
export interface Clients {
  /** Begins them all, and gives what each does until its answer is whole, however often the server goes away. */
  begin(server: { readonly url: string; readonly headers: Readonly<Record<string, string>> }): Promise<{
    readonly clients: readonly Client[]
    readonly done: Promise<unknown>
  }>
  /** The server is there for the last time. */
  finish?(): Promise<void>
  /** Compares what they have with the journals. */
  compare(journal: Journal): Promise<void>
}

/** Starts a server in a process of its own, and kills it again and again while it speaks to all of its clients. Gives how many of them have everything, once. */
export async function survivesKills(
  clients: Clients,
  { kills, words }: { kills: number; words: number },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-killed-'))
  const token = newToken()
  let started = await start(folder, token, 0, words)
  const { port } = started
  try {
    const headers = { authorization: `Bearer ${token}` }
    const begun = await clients.begin({ url: `http://127.0.0.1:${port}`, headers })
    for (let count = 0; count < kills; count++) {
      // Each of them is in the middle of a sentence that this process has begun.
      const pid = `${started.child.pid}.`
      const isHeard = (): boolean => begun.clients.every((client) => client.hasHeard(pid))
      await expect.poll(isHeard, { timeout: 60_000, interval: 5 }).toBe(true)
      expect(begun.clients.filter(({ isEnded }) => !isEnded).length).toBeGreaterThan(0)
      await kill(started.child)
      started = await start(folder, token, port, words)
    }
    await begun.done
    await clients.finish?.()
    await kill(started.child)
    const store = await openStore({ dir: folder })
    try {
      await clients.compare(store.journal)
      return begun.clients.length
    } finally {
      await store.close()
    }
  } finally {
    started.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

type Server = Parameters<Clients['begin']>[0]

export async function post({ url, headers }: Server, path: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Record<string, string>
}

/** Waits a little, as clients do before they try again. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

/** Clients that read the events of runs by their last id. `open` begins a run and gives its id. */
export function eventClients(
  count: number,
  open: (server: Server) => Promise<string> = async (server) =>
    (await post(server, '/api/runs', { agent: 'teller', prompt: 'Tell.' }))['id']!,
): Clients {
  const clients = Array.from({ length: count }, () => new RunClient())
  let ids: readonly string[] = []
  let connections = 0
  return {
    async begin(server) {
      ids = await Promise.all(clients.map(() => open(server)))
      const follow = async (client: RunClient, index: number): Promise<void> => {
        while (!client.isEnded) {
          try {
            const last = client.lastId === undefined ? {} : { 'last-event-id': client.lastId }
            const headers = { ...server.headers, ...last }
            const answer = await fetch(`${server.url}/api/runs/${ids[index]}/events`, { headers })
            if (answer.status === 204) client.isEnded = true
            if (answer.status !== 200) continue
            connections++
            for await (const event of sseEvents(answer.body! as never)) client.add(event)
          } catch {
            await pause()
          }
        }
      }
      const heard = clients.map((client) => ({
        hasHeard: (pid: string) => [...client.texts.values()].some((text) => text.includes(pid)),
        get isEnded() {
          return client.isEnded
        },
      }))
      return { clients: heard, done: Promise.all(clients.map(follow)) }
    },
    async compare(journal) {
      expect(connections).toBeGreaterThan(count)
      for (const [index, id] of ids.entries()) await compareEvents(journal, id, clients[index]!)
    },
  }
}

/** The client has every entry of the journal once and in order, and the text of every call as the journal has it. */
async function compareEvents(journal: Journal, run: string, client: RunClient): Promise<void> {
  const entries = await readAll(journal, run)
  const { seqs, texts, finals, isEnded } = client
  expect(isEnded).toBe(true)
  expect(seqs).toEqual(entries.map(({ seq }) => seq))
  expect(entries.at(-1)!.type).toBe('run-end')
  expect(finals.size).toBe(2)
  expect(new Map(texts)).toEqual(finals)
}

/** What the model calls of a run said, in their order. */
export async function saidBy(journal: Journal, run: string): Promise<string[]> {
  return entriesOfType(await readAll(journal, run), 'effect-end')
    .filter(({ key }) => key?.endsWith('/model'))
    .map(({ data }) => {
      const { message } = (data.outcome as unknown as { value: { message: { content: { text?: string }[] } } }).value
      return message.content.map(({ text = '' }) => text).join('')
    })
}
