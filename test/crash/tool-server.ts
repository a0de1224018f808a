import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The outside world of the crash test, in a process of its own: it does what it is asked and counts how often, per idempotency key. */
const counts = new Map<string, number>()
const values = new Map<string, string>()

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://loopback')
  const key = url.searchParams.get('key') ?? ''
  const answer = (status: number, body: unknown): void => void response.writeHead(status).end(JSON.stringify(body))
  if (request.method === 'POST' && url.pathname === '/do') {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    // Some things only work the second time.
    if (url.searchParams.has('flaky') && count === 1) return answer(503, null)
    const value = `${url.searchParams.get('name')} did ${url.searchParams.get('input')}`
    values.set(key, value)
    return answer(200, value)
  }
  if (url.pathname === '/asked') return answer(200, { count: counts.get(key) ?? 0, value: values.get(key) ?? null })
  const run = url.searchParams.get('run') ?? ''
  return answer(200, Object.fromEntries([...counts].filter(([each]) => each.startsWith(run))))
})

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
