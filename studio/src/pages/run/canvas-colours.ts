import { useCallback, useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

const VARIABLES: Readonly<Record<string, string>> = {
  ok: '--ok',
  running: '--running',
  waits: '--waits',
  failed: '--bad',
  denied: '--bad',
  doubt: '--doubt',
  unknown: '--doubt',
  cancelled: '--still',
  plain: '--line',
  here: '--accent',
}

/** Returns the theme colours and the width of a canvas; both can change while it is shown. */
export function useColours(canvas: RefObject<HTMLCanvasElement | null>): {
  readonly colours: (name: string) => string
  readonly size: { readonly width: number }
} {
  const [width, setWidth] = useState(0)
  const [theme, setTheme] = useState(0)
  // Cached, because reading a computed style forces the browser to recalculate styles: once per colour, not per bar.
  const known = useRef(new Map<string, string>())
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const sized = new ResizeObserver(() => setWidth(element.clientWidth))
    sized.observe(element)
    const again = (): void => {
      known.current.clear()
      setTheme((count) => count + 1)
    }
    const themed = new MutationObserver(again)
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', again)
    return () => {
      sized.disconnect()
      themed.disconnect()
      system.removeEventListener('change', again)
    }
  }, [canvas])
  const colours = useCallback(
    (name: string): string => {
      const found = known.current.get(name) ?? colourOf(canvas.current, name)
      if (canvas.current !== null) known.current.set(name, found)
      return found
    },
    // A new function for each theme, so that its users redraw.
    [canvas, theme],
  )
  return { colours, size: { width } }
}

/** Returns an empty canvas context in CSS pixels. The size is only set when it changes, because setting it reallocates the canvas. */
export function emptied(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const context = canvas?.getContext('2d')
  if (!canvas || !context || width === 0) return null
  const scale = devicePixelRatio
  const [wide, high] = [Math.floor(width * scale), Math.floor(height * scale)]
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high]
  context.setTransform(scale, 0, 0, scale, 0, 0)
  context.clearRect(0, 0, width, height)
  return context
}

/** Resolves a theme colour through a CSS property, because a canvas does not support `light-dark()`. */
function colourOf(element: HTMLElement | null, name: string): string {
  if (element === null) return 'transparent'
  if (name === 'shade') return 'rgb(128 128 128 / 35%)'
  element.style.color = `var(${VARIABLES[name] ?? '--still'})`
  return getComputedStyle(element).color
}
