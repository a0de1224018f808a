import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAll } from 'mandate/journal'
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

/**
 * Starts runs on a server in a process of its own, kills it while all of them speak, and lets every client come back by the last id it has. Gives the number
 * of clients that have everything, once.
 */
export async function survivesKills({
  runs,
  kills,
  words,
}: {
  runs: number
  kills: number
  words: number
}): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-killed-'))
  const token = newToken()
  let started = await start(folder, token, 0, words)
  const { port } = started
  const url = `http://127.0.0.1:${port}`
  const headers = { authorization: `Bearer ${token}` }
  try {
    const ids = await Promise.all(
      Array.from({ length: runs }, async () => {
        const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
        const answer = await fetch(`${url}/api/runs`, {
          ...init,
          body: JSON.stringify({ agent: 'teller', prompt: 'Tell.' }),
        })
        return ((await answer.json()) as { id: string }).id
      }),
    )
    const clients = ids.map(() => new RunClient())
    let connections = 0
    const follow = async (index: number): Promise<void> => {
      const client = clients[index]!
      while (!client.isEnded) {
        try {
          const last = client.lastId === undefined ? {} : { 'last-event-id': client.lastId }
          const answer = await fetch(`${url}/api/runs/${ids[index]}/events`, { headers: { ...headers, ...last } })
          if (answer.status === 204) client.isEnded = true
          if (answer.status !== 200) continue
          connections++
          for await (const event of sseEvents(answer.body! as never)) client.add(event)
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
    }
    const following = Promise.all(ids.map((_id, index) => follow(index)))
    for (let count = 0; count < kills; count++) {
      // Each of them is in the middle of a sentence that this process has begun.
      const pid = `${started.child.pid}.`
      const isSpeaking = ({ texts }: RunClient): boolean => [...texts.values()].some((text) => text.includes(pid))
      await expect.poll(() => clients.every(isSpeaking), { timeout: 60_000, interval: 5 }).toBe(true)
      expect(clients.filter(({ isEnded }) => !isEnded).length).toBeGreaterThan(0)
      await kill(started.child)
      started = await start(folder, token, port, words)
    }
    await following
    expect(connections).toBeGreaterThan(runs)
    await kill(started.child)
    return await compare(folder, ids, clients)
  } finally {
    started.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each client has every entry of the journal once and in order, and the text of every call as the journal has it. */
async function compare(folder: string, ids: readonly string[], clients: readonly RunClient[]): Promise<number> {
  const store = await openStore({ dir: folder })
  try {
    for (const [index, id] of ids.entries()) {
      const entries = await readAll(store.journal, id)
      const { seqs, texts, finals, isEnded } = clients[index]!
      expect(isEnded).toBe(true)
      expect(seqs).toEqual(entries.map(({ seq }) => seq))
      expect(entries.at(-1)!.type).toBe('run-end')
      expect(finals.size).toBe(2)
      expect(new Map(texts)).toEqual(finals)
    }
    return ids.length
  } finally {
    await store.close()
  }
}
