import { useEffect } from 'react'

export interface Shortcut {
  /** As pressed: `?`, `g r`, `Ctrl+k`. */
  readonly keys: string
  readonly does: string
  /** Where it works: everywhere, or on one page. */
  readonly where: string
}

/** All of them in one place: the help, the palette and the handlers read it, and a test refuses two that collide. */
export const SHORTCUTS = {
  help: { keys: '?', does: 'Show all keys', where: 'everywhere' },
  palette: { keys: 'Ctrl+k', does: 'Go anywhere, do anything', where: 'everywhere' },
  filter: { keys: '/', does: 'Filter', where: 'everywhere' },
  back: { keys: 'Escape', does: 'Close, or go back', where: 'everywhere' },
  runs: { keys: 'g r', does: 'Go to the runs', where: 'everywhere' },
  inbox: { keys: 'g i', does: 'Go to the inbox', where: 'everywhere' },
  compare: { keys: 'g c', does: 'Go to compare', where: 'everywhere' },
  agents: { keys: 'g a', does: 'Go to the agents', where: 'everywhere' },
  costs: { keys: 'g m', does: 'Go to the costs', where: 'everywhere' },
  evals: { keys: 'g e', does: 'Go to the evals', where: 'everywhere' },
  workers: { keys: 'g w', does: 'Go to the workers', where: 'everywhere' },
  policy: { keys: 'g p', does: 'Go to the policy bench', where: 'everywhere' },
  doctor: { keys: 'g d', does: 'Go to the doctor', where: 'everywhere' },
  theme: { keys: 'g t', does: 'Switch between light and dark', where: 'everywhere' },
  nextRun: { keys: 'j', does: 'Next run or item', where: 'lists' },
  previousRun: { keys: 'k', does: 'Previous run or item', where: 'lists' },
  mark: { keys: 'x', does: 'Mark for comparison', where: 'lists' },
  expandAll: { keys: 'e', does: 'Expand all', where: 'run' },
  collapseAll: { keys: 'E', does: 'Collapse all', where: 'run' },
  nextError: { keys: 'n', does: 'Next problem', where: 'run' },
  previousError: { keys: 'N', does: 'Previous problem', where: 'run' },
  follow: { keys: '.', does: 'Follow what comes', where: 'run' },
  fork: { keys: 'f', does: 'Fork here', where: 'run' },
  replay: { keys: 'r', does: 'Replay: verify from the journal', where: 'run' },
  zoomIn: { keys: '+', does: 'Zoom in', where: 'run' },
  zoomOut: { keys: '-', does: 'Zoom out', where: 'run' },
  fit: { keys: 'z', does: 'Fit the selected effect, then everything', where: 'run' },
  panLeft: { keys: 'Shift+ArrowLeft', does: 'Earlier, when zoomed in', where: 'run' },
  panRight: { keys: 'Shift+ArrowRight', does: 'Later, when zoomed in', where: 'run' },
  level: { keys: '0-9', does: 'Expand down to this level', where: 'run' },
  nested: { keys: 'o', does: 'Open or close the run of the selected call', where: 'run' },
  copyLink: { keys: 'y', does: 'Copy the link', where: 'run' },
  copyJson: { keys: 'c', does: 'Copy as JSON', where: 'run' },
  approve: { keys: 'a', does: 'Approve; asks for the scope', where: 'inbox' },
  deny: { keys: 'd', does: 'Deny; asks for a reason', where: 'inbox' },
  select: { keys: ' ', does: 'Select', where: 'inbox' },
} as const satisfies Record<string, Shortcut>

export type ShortcutName = keyof typeof SHORTCUTS

const PREFIX_MS = 1_000
/** The key before this one, where it was pressed just now. */
let before = ''
let last = ''
let lastAt = Number.NEGATIVE_INFINITY

/** How a key press is written in the table. */
function pressed(event: KeyboardEvent): string {
  const isCommand = event.ctrlKey || event.metaKey
  if (isCommand) return `Ctrl+${event.key.toLowerCase()}`
  return event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** A handler is told which key it was, where a shortcut stands for several. */
type Handlers = { readonly [N in ShortcutName]?: ((key: string) => void) | undefined }

/** Does what the keys say while the part that calls it is on the page. Single letters do nothing while someone types. */
export function useShortcuts(handlers: Handlers): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = pressed(event)
      const isBare = !key.startsWith('Ctrl+') && key !== 'Escape'
      if (event.altKey || event.defaultPrevented || (isBare && isTyping(event.target))) return
      if (isBare && document.querySelector('dialog[open]') !== null) return
      const wanted = [`${before} ${key}`, key, ...(/^\d$/.test(key) ? ['0-9'] : [])]
      const found = Object.entries(handlers).find(
        ([name, handler]) => handler !== undefined && wanted.includes(SHORTCUTS[name as ShortcutName].keys),
      )
      if (found === undefined) return
      event.preventDefault()
      found[1]?.(key)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

/** Remembers the key before: some shortcuts are two keys. It listens before all others. */
export function watchPrefixes(): void {
  addEventListener(
    'keydown',
    (event) => {
      before = event.timeStamp - lastAt < PREFIX_MS ? last : ''
      last = isTyping(event.target) || event.ctrlKey || event.metaKey ? '' : event.key
      lastAt = event.timeStamp
    },
    { capture: true },
  )
}
