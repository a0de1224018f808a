/** For ever, as far as a test is concerned. */
export const HANG_MS = 15_000

/** What a promise comes to, or that it hangs. */
export async function settled<T>(work: Promise<T>): Promise<T | 'hangs'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'hangs'>((resolve) => (timer = setTimeout(() => resolve('hangs'), HANG_MS)))
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
