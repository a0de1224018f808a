/** Microseconds wrap around after some minutes: long numbers would be held back as possible secrets. */
const WRAP = 36 ** 5

/** Encodes a time of the machine's monotonic clock, which its processes share, as a short word. */
export function momentWord(nanoseconds: bigint): string {
  return `w${(Number(nanoseconds / 1_000n) % WRAP).toString(36)}`
}

/** Returns the milliseconds since the time encoded in a word. */
export function sinceWord(word: string, now: bigint): number {
  const micros = (Number(now / 1_000n) % WRAP) - Number.parseInt(word.slice(1), 36)
  return (micros < 0 ? micros + WRAP : micros) / 1_000
}
