/** Memory after garbage collection; needs `--expose-gc`. */
export function settledMemory(): NodeJS.MemoryUsage {
  const collect = (globalThis as { gc?: () => void }).gc!
  collect()
  collect()
  return process.memoryUsage()
}
