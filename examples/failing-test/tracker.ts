import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Issue {
  readonly title: string
  readonly body: string
}

export interface Tracker {
  readonly url: string
  /** What was really opened, as the tracker itself has it. */
  readonly issues: readonly Issue[]
  close(): Promise<void>
}

/** An issue tracker on a free loopback port. It wants a token, as trackers do. */
export async function startTracker(token: string): Promise<Tracker> {
  const issues: Issue[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const isKnown = request.headers.authorization === token
      if (!isKnown || request.method !== 'POST' || request.url !== '/issues')
        return void response.writeHead(isKnown ? 404 : 401).end('{}')
      issues.push(JSON.parse(body) as Issue)
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ number: issues.length }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    issues,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
