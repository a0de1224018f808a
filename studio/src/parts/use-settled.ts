import { useEffect, useState } from 'react'

/** Whether a value has been unchanged for a while, or since the beginning. */
export function useSettled(value: string, afterMs: number): boolean {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled === value
}
