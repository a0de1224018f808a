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

/** What of a list of lines this needs. */
interface LineList {
  scrollOffset: number | null
  readonly scrollRect: { readonly height: number } | null
  getTotalSize(): number
  readonly options: { readonly scrollMargin: number }
}

/** Makes the last lines of a list at once while its end is followed, and not those that were the last ones before: they would be made for the moment until it is scrolled. */
export function useEndInSight(list: LineList, isFollowing: boolean): void {
  if (!isFollowing || list.scrollRect === null) return
  list.scrollOffset = Math.max(0, list.getTotalSize() + list.options.scrollMargin - list.scrollRect.height)
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
