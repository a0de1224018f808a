import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A way to a server that can be cut. */
export interface Proxy {
  readonly port: number
  /** From now on, on every connection: what is asked arrives, and instead of an answer the connection ends. Until `restore`. */
  loseAnswers(): void
  /** From now on nobody gets through, and those who are through are cut off. Until `restore`. */
  cut(): void
  /** From now on nothing gets through in either direction, and nobody is told. Until `restore`. */
  stall(): void
  /** From now on nothing gets through in either direction, and nobody is told; with `restore` all of it arrives, late. */
  hold(): void
  restore(): void
  /** How many pieces were held back. */
  readonly held: number
  /** How many connections were cut. */
  readonly cuts: number
  close(): Promise<void>
}

type Mode = 'open' | 'losing' | 'cut' | 'stalled' | 'held'

/** Listens on the loopback and passes everything on to a server there. */
export async function startProxy(target: number): Promise<Proxy> {
  let mode: Mode = 'open'
  let cuts = 0
  let held = 0
  const late: (() => void)[] = []
  const keep = (pass: () => void): void => {
    held += 1
    late.push(pass)
  }
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = (): void => {
      if (!pairs.delete(pair)) return
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    client.on('data', (bytes) => {
      if (mode === 'held') keep(() => void (upstream.writable && upstream.write(bytes)))
      else if (mode !== 'stalled') upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (mode === 'held') return keep(() => void (client.writable && client.write(bytes)))
      if (mode === 'open') return void client.write(bytes)
      if (mode === 'stalled') return
      cuts += 1
      end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts
    },
    loseAnswers: () => void (mode = 'losing'),
    cut: () => {
      mode = 'cut'
      for (const [client] of pairs) client.destroy()
    },
    stall: () => void (mode = 'stalled'),
    hold: () => void (mode = 'held'),
    get held() {
      return held
    },
    restore: () => {
      mode = 'open'
      for (const pass of late.splice(0)) pass()
    },
    close: () => {
      for (const [client] of pairs) client.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
