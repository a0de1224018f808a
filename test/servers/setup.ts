import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { announceSkip } from '../rotation.ts'
import { keepServer } from './keeping.ts'
import type { KeptServer } from './keeping.ts'
import { lacking } from './servers.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the tests of a run ask for the servers that they share. */
    readonly serverDesk: string
  }
}

/** One desk for the whole test run: whoever asks it first for a server has it started; all get the same one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  for (const { kind, how } of lacking()) announceSkip(`tests that need ${kind}`, how)
  const kept = new Map<string, Promise<KeptServer>>()
  const desk = createServer((request, response) => {
    const kind = request.url === '/redis' ? 'redis' : request.url === '/restate' ? 'restate' : 'postgres'
    const server = kept.get(kind) ?? keepServer({ kind, isSafe: false })
    kept.set(kind, server)
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve))
  desk.unref()
  project.provide('serverDesk', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)
  return async () => {
    desk.closeAllConnections()
    desk.close()
    for (const server of await Promise.allSettled(kept.values()))
      if (server.status === 'fulfilled') await server.value.stop()
  }
}
