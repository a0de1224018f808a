import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const child = fileURLToPath(new URL('heap-child.ts', import.meta.url))
const run = promisify(execFile)

/** The heap that the platform is given, four times what the program may hold by its own count. */
const HEAP_MB = 256

interface Ended {
  readonly result?: unknown
  readonly limit?: string
}

async function inChild(source: string, limits: Record<string, number>): Promise<Ended> {
  const args = [`--max-old-space-size=${HEAP_MB}`, child, source, JSON.stringify(limits)]
  const { stdout } = await run(process.execPath, args)
  return JSON.parse(stdout) as Ended
}

/** Each makes and holds texts that look the same, in another way. A heap of four times the limit is enough for all. */
const holding: readonly string[] = [
  'a.push("x".padStart(1e6, "ab"))',
  'a.push(new Error("x".repeat(1e5)))',
  'a.push("x".repeat(1e6).slice(0, 40))',
  'a.push(("y".repeat(40) + "x".repeat(1e6)).replace(/x+/, ""))',
  'a.push(("y".repeat(40) + " ".repeat(1e6)).trim())',
  'a.push(("y".repeat(40) + "," + "x".repeat(1e6)).split(",")[0])',
  'a.push(JSON.stringify("x".repeat(1e5)))',
  'a.push(new RegExp("x{1,50}".repeat(200)))',
  'a.push({ ["k".repeat(1e4)]: 1 })',
  'a.push("ß".repeat(1e5).toUpperCase())',
]

test.each(holding)(
  'equal texts each count, and parts do not keep the whole: %s',
  { timeout: 120_000 },
  async (step) => {
    const { limit } = await inChild(`const a = []; for (;;) ${step}`, { fuel: 25_000 })
    expect(limit === 'memoryBytes' || limit === 'fuel').toBe(true)
  },
)

test('a text that is held often counts once', async () => {
  const { result } = await inChild(
    'const s = "x".repeat(1e5); const a = []; for (let i = 0; i < 5000; i++) { a.push({ s }); "y".repeat(1e4) } a.length',
    { fuel: 100_000 },
  )
  expect(result).toBe(5000)
})
