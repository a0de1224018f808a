import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** Scrolls a row of choices to the selected one when the selection changes, because a narrow window does not show all of them. */
export function useScrolledTo<T extends HTMLElement>(chosen: string, selector: string): RefObject<T | null> {
  const line = useRef<T>(null)
  useEffect(() => {
    // The block body returns nothing: newer browsers return a promise, which must not become the cleanup of the effect.
    line.current?.querySelector(selector)?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [chosen, selector])
  return line
}

/** The parts of a virtual list that are used here. */
interface LineList {
  scrollOffset: number | null
  readonly scrollRect: { readonly height: number } | null
  getTotalSize(): number
  readonly options: { readonly scrollMargin: number }
}

/**
 * Renders the last lines of a list at once while its end is followed. It skips the previous last lines, which would only be rendered until the list is
 * scrolled.
 */
export function useEndInSight(list: LineList, isFollowing: boolean): void {
  if (!isFollowing || list.scrollRect === null) return
  list.scrollOffset = Math.max(0, list.getTotalSize() + list.options.scrollMargin - list.scrollRect.height)
}

/** Keeps a box scrolled to its end while that is requested and lines are added. */
export function useScrolledToEnd(box: RefObject<HTMLElement | null>, lines: number, isWanted: boolean): void {
  const before = useRef({ lines, isWanted: false })
  useLayoutEffect(() => {
    // The last lines may arrive in the same update that ends the following.
    const isLast = before.current.isWanted && lines !== before.current.lines
    before.current = { lines, isWanted }
    if (isWanted || isLast) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [box, lines, isWanted])
}
