import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { KeeperOrder } from './keeper.fixture.ts'

const program = fileURLToPath(new URL('./keeper.fixture.ts', import.meta.url))

/** A server of one's own. */
export interface KeptServer {
  readonly url: string
  /** Ends it at once, with whatever it had in hand. */
  crash(): Promise<void>
  /** Starts it again where it was. */
  start(): Promise<void>
  /** Leaves no room on the volume it is on, which has to be a small one of its own. */
  fill(): Promise<void>
  /** Makes room again, and starts it if it has ended. */
  free(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server in a folder of its own, on a free port of the loopback; it ends with this process at the latest. */
export async function keepServer(order: KeeperOrder): Promise<KeptServer> {
  // A group of its own: an interrupt from the keyboard is for those who use the server, which then tell it by going.
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref()
  let complaint = ''
  child.stderr.on('data', (piece) => (complaint += String(piece)))
  const lines = createInterface({ input: child.stdout })
  const gone = new Promise<never>((_, reject) => {
    child.once('exit', () => reject(new Error(`The keeper of ${order.kind} ended: ${complaint || 'nothing said'}`)))
  })
  gone.catch(() => {})
  const said = (start: string): Promise<string> => {
    const heard = new Promise<string>((resolve) => {
      const hear = (line: string): void => {
        if (!line.startsWith(start)) return
        lines.off('line', hear)
        resolve(line.slice(start.length).trim())
      }
      lines.on('line', hear)
    })
    return whileReferenced(child.stdout as unknown as Referenced, Promise.race([heard, gone]))
  }
  const url = await said('up')
  const tell = async (word: string, answer: string): Promise<void> => {
    const heard = said(answer)
    child.stdin.write(`${word}\n`)
    await heard
  }
  return {
    url,
    crash: () => tell('crash', 'down'),
    start: () => tell('start', 'up'),
    fill: () => tell('fill', 'full'),
    free: () => tell('free', 'up'),
    stop: async () => {
      child.ref()
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.stdin.end()
      await ended
    },
  }
}

interface Referenced {
  ref(): void
  unref(): void
}

/** A process that waits for a server must live until it hears of it; afterwards the server alone does not keep it. */
async function whileReferenced<T>(stream: Referenced, waited: Promise<T>): Promise<T> {
  stream.ref()
  try {
    return await waited
  } finally {
    stream.unref()
  }
}
