type Digest = (content: string | Uint8Array) => string

const ROUND: Uint32Array = rootFractions(64, 3)
const START: Uint32Array = rootFractions(8, 2)

/** The constants of SHA-256: the first 32 bits of the fractional parts of roots of primes. Computed, so that there is no table to mistype. */
function rootFractions(count: number, degree: number): Uint32Array {
  const words = new Uint32Array(count)
  for (let found = 0, n = 2; found < count; n++) {
    let prime = true
    for (let d = 2; d * d <= n && prime; d++) prime = n % d !== 0
    if (!prime) continue
    const root = n ** (1 / degree)
    words[found++] = Math.floor((root - Math.floor(root)) * 2 ** 32)
  }
  return words
}

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as 64 hex digits, in plain JavaScript: for runtimes without a synchronous hash. */
export function sha256Portable(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const blocks = ((bytes.length + 8) >> 6) + 1
  const padded = new Uint8Array(blocks * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, bytes.length << 3)
  const state = START.slice()
  const w = new Uint32Array(64)
  for (let block = 0; block < blocks; block++) compress(state, w, view, block * 64)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

function compress(state: Uint32Array, w: Uint32Array, view: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15]!
    const b = w[i - 2]!
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i]! + w[i]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const sum = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i]! + sum[i]!) | 0
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The platform's hash if there is one, because it is several times faster. `getBuiltinModule` avoids an import that browsers would fail on. */
function choose(): Digest {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
  const crypto = host.process?.getBuiltinModule?.('node:crypto') as
    | { hash?: (a: string, d: string | Uint8Array) => string }
    | undefined
  const native = crypto?.hash
  return native === undefined ? sha256Portable : (content) => native('sha256', content)
}

/** Chosen with the first text: loading the platform's hash takes longer than importing the whole core. */
let digest: Digest | undefined

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as 64 hex digits. Synchronous on every platform. */
export function sha256(content: string | Uint8Array): string {
  digest ??= choose()
  return digest(content)
}
