import { PLACE } from './place.ts'

/** The time before the first look at a server that did not answer, and the longest one between two looks. */
const FIRST_MS = 500
const MOST_MS = 4_000
const GROWTH = 1.6

let tries = 0
let timer: number | undefined
let isLost = false
const backs = new Set<() => void>()
const watchers = new Set<() => void>()

// The one policy for a server that does not answer: whoever notices it says so here, and is told when the server answers again. A look at the server is a small
// request; the time between two looks grows, and a tab that nobody sees waits until it is seen.

/** Whether the server answered when it was last asked. */
export function isConnected(): boolean {
  return !isLost
}

/** Calls a function whenever the state of the connection changes. */
export function watchConnection(changed: () => void): () => void {
  watchers.add(changed)
  return () => watchers.delete(changed)
}

/** Calls a function whenever the server answers again: what failed meanwhile is to be tried again. */
export function onBack(back: () => void): () => void {
  backs.add(back)
  return () => backs.delete(back)
}

/** Reports that the server did not answer, or has ended a stream. */
export function hasLost(): void {
  if (timer !== undefined) return
  set(true)
  timer = window.setTimeout(() => void look(), Math.min(MOST_MS, FIRST_MS * GROWTH ** tries))
  tries += 1
}

/** Reports that a stream is open: the next loss is a new one. */
export function isOpen(): void {
  tries = 0
  if (isLost) answered()
}

async function look(): Promise<void> {
  await seen()
  const answer = await fetch(`${PLACE}/api/studio`, { credentials: 'same-origin' }).catch(() => undefined)
  if (!isLost) return
  timer = undefined
  // A proxy answers for a server that is down.
  if (answer === undefined || answer.status > 500) hasLost()
  else answered()
}

function answered(): void {
  window.clearTimeout(timer)
  timer = undefined
  set(false)
  for (const back of backs) back()
}

function set(lost: boolean): void {
  if (isLost === lost) return
  isLost = lost
  for (const changed of watchers) changed()
}

/** Resolves when the tab is seen. */
function seen(): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden) return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    check()
  })
}
