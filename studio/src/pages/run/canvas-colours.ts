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

/** The colours of the theme for a canvas, and its size; both change while it is looked at. */
export function useColours(canvas: RefObject<HTMLCanvasElement | null>): {
  readonly colours: (name: string) => string
  readonly size: { readonly width: number }
} {
  const [width, setWidth] = useState(0)
  const [theme, setTheme] = useState(0)
  // Asking for a colour makes the browser lay out its styles: once for each, not for each bar.
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
    // Another function for another theme: what was drawn with it is drawn again.
    [canvas, theme],
  )
  return { colours, size: { width } }
}

/** An empty canvas to draw on, in the units of the page. Another size makes its memory anew, so it is only set when it is another one. */
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

/** Canvases do not know `light-dark()`: a property that takes a colour resolves it. */
function colourOf(element: HTMLElement | null, name: string): string {
  if (element === null) return 'transparent'
  if (name === 'shade') return 'rgb(128 128 128 / 35%)'
  element.style.color = `var(${VARIABLES[name] ?? '--still'})`
  return getComputedStyle(element).color
}
