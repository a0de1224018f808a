import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { has } from './servers.ts'
import { sharedServer } from './shared.ts'

for (const kind of ['postgres', 'redis'] as const) {
  test.skipIf(!has(kind))(`${kind} is there for whoever asks, and the same for all`, async () => {
    const [url, again] = await Promise.all([sharedServer(kind), sharedServer(kind)])
    expect(again).toBe(url)
    const { hostname, port } = new URL(url)
    await new Promise<void>((resolve, reject) => {
      const socket = createConnection({ host: hostname, port: Number(port) }, () => resolve(void socket.destroy()))
      socket.on('error', reject)
    })
  })
}
