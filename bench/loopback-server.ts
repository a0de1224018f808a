// A server on a separate thread, so that its cost is not attributed to the client. Posts its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { bytes } = workerData as { bytes: number }
const document = JSON.stringify({ text: 'x'.repeat(bytes) })
const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(document))
server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port, []))
