import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the pretended project has published, newest first. */
const RELEASES: Readonly<Record<string, readonly string[]>> = {
  '2.4.0': [
    'API: `search()` takes an options object; the positional form is deprecated',
    'Faster cold start on small machines',
    'API: `close()` now returns a promise',
    'Fixed a flicker in the settings dialog',
  ],
  '2.3.0': ['API: removed `connectSync()`, use `connect()`', 'New colour theme'],
}

export interface ReleaseServer {
  readonly url: string
  /** How often each request has arrived: counted by the server, independently of the agent. */
  readonly requests: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** A release-notes site on a free loopback port that counts every request it gets. */
export async function startServer(): Promise<ReleaseServer> {
  const requests = new Map<string, number>()
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`
    requests.set(name, (requests.get(name) ?? 0) + 1)
    const version = /^\/releases\/(.+)$/.exec(request.url ?? '')?.[1]
    const body =
      request.url === '/releases'
        ? { project: 'tangram', latest: '2.4.0', versions: Object.keys(RELEASES) }
        : version === undefined
          ? { ok: true }
          : { version, notes: RELEASES[version] ?? [] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
