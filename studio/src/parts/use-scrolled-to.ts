import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** Scrolls a line of choices to the one that is chosen whenever another one is: in a narrow window not all of them are in sight. */
export function useScrolledTo<T extends HTMLElement>(chosen: string, selector: string): RefObject<T | null> {
  const line = useRef<T>(null)
  useEffect(() => {
    // Newer browsers give a promise: it must not be taken for what ends the effect.
    line.current?.querySelector(selector)?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [chosen, selector])
  return line
}

/** Keeps a box at its end while that is wanted and lines are added to it. */
export function useScrolledToEnd(box: RefObject<HTMLElement | null>, lines: number, isWanted: boolean): void {
  const before = useRef({ lines, isWanted: false })
  useLayoutEffect(() => {
    // The last lines may come together with what ends the following.
    const isLast = before.current.isWanted && lines !== before.current.lines
    before.current = { lines, isWanted }
    if (isWanted || isLast) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [box, lines, isWanted])
}
