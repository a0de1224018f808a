import { useEffect, useRef } from 'react'

export interface Shortcut {
  /** The keys to press: `?`, `g r`, `Ctrl+k`. */
  readonly keys: string
  readonly does: string
  /** Where it works: everywhere, or on some kind of page. */
  readonly where: 'everywhere' | 'lists' | 'run' | 'inbox'
}

export type ShortcutName =
  | 'help'
  | 'palette'
  | 'filter'
  | 'back'
  | 'runs'
  | 'inbox'
  | 'compare'
  | 'agents'
  | 'costs'
  | 'evals'
  | 'workers'
  | 'policy'
  | 'doctor'
  | 'theme'
  | 'nextRun'
  | 'previousRun'
  | 'mark'
  | 'expandAll'
  | 'collapseAll'
  | 'nextError'
  | 'previousError'
  | 'follow'
  | 'fork'
  | 'replay'
  | 'cancel'
  | 'zoomIn'
  | 'zoomOut'
  | 'fit'
  | 'panLeft'
  | 'panRight'
  | 'level'
  | 'nested'
  | 'inInbox'
  | 'copyLink'
  | 'copyJson'
  | 'approve'
  | 'deny'
  | 'select'
  | 'decideSelected'

/** All shortcuts. The help, the palette and the handlers use this table; a test rejects conflicts and shortcuts without a handler. */
export const SHORTCUTS: Readonly<Record<ShortcutName, Shortcut>> = {
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
  nextRun: { keys: 'j', does: 'Next run or item, also from the page of a run', where: 'lists' },
  previousRun: { keys: 'k', does: 'Previous run or item, also from the page of a run', where: 'lists' },
  mark: { keys: 'x', does: 'Mark a run; a second one is compared with it', where: 'lists' },
  expandAll: { keys: 'e', does: 'Expand all', where: 'run' },
  collapseAll: { keys: 'E', does: 'Collapse all', where: 'run' },
  nextError: { keys: 'n', does: 'Next problem', where: 'run' },
  previousError: { keys: 'N', does: 'Previous problem', where: 'run' },
  follow: { keys: '.', does: 'Follow what comes', where: 'run' },
  fork: { keys: 'f', does: 'Fork here', where: 'run' },
  replay: { keys: 'r', does: 'Replay: verify from the journal', where: 'run' },
  cancel: { keys: 'X', does: 'Cancel the run: asks first', where: 'run' },
  zoomIn: { keys: '+', does: 'Zoom in', where: 'run' },
  zoomOut: { keys: '-', does: 'Zoom out', where: 'run' },
  fit: { keys: 'z', does: 'Fit the selected effect, then everything', where: 'run' },
  panLeft: { keys: 'Shift+ArrowLeft', does: 'Earlier, when zoomed in', where: 'run' },
  panRight: { keys: 'Shift+ArrowRight', does: 'Later, when zoomed in', where: 'run' },
  level: { keys: '0-9', does: 'Expand down to this level', where: 'run' },
  nested: { keys: 'o', does: 'Open or close the run of the selected call', where: 'run' },
  inInbox: { keys: 'i', does: 'Open what waits in the inbox', where: 'run' },
  copyLink: { keys: 'y', does: 'Copy the link', where: 'run' },
  copyJson: { keys: 'c', does: 'Copy as JSON', where: 'run' },
  approve: { keys: 'a', does: 'Approve: asks how far, Enter decides', where: 'inbox' },
  deny: { keys: 'd', does: 'Deny: asks why, Enter decides', where: 'inbox' },
  select: { keys: ' ', does: 'Select', where: 'inbox' },
  decideSelected: { keys: 'A', does: 'Decide all that are selected: asks first', where: 'inbox' },
}

/** Formats keys for display. */
export function keysText(keys: string): string {
  return keys === ' ' ? 'Space' : keys.replace('ArrowLeft', '←').replace('ArrowRight', '→')
}

const PREFIX_MS = 1_000
const ALL_KEYS: ReadonlySet<string> = new Set(Object.values(SHORTCUTS).map(({ keys }) => keys))

/** Returns a key press in the notation of the table. */
function pressed(event: KeyboardEvent): string {
  const isCommand = event.ctrlKey || event.metaKey
  if (isCommand) return `Ctrl+${event.key.toLowerCase()}`
  return event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key
}

/** Returns the name in the table of a key pressed after another one. If the two form a shortcut, the second key alone does not count. */
export function keysOf(before: string, key: string): string {
  const both = `${before} ${key}`
  if (ALL_KEYS.has(both)) return both
  return /^\d$/.test(key) ? '0-9' : key
}

/** Input types without text entry: shortcuts keep working while one of them has the focus. */
const WITHOUT_LETTERS: ReadonlySet<string> = new Set(['checkbox', 'radio', 'range', 'button', 'submit'])
/** Elements that the space bar activates. */
const PRESSED_BY_SPACE = 'button, a[href], summary, input'

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !WITHOUT_LETTERS.has(target.type)
  return target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Whether a press of the space bar is meant for the focused control. */
function isPress(key: string, target: EventTarget | null): boolean {
  return key === ' ' && target instanceof HTMLElement && target.matches(PRESSED_BY_SPACE)
}

/** Handlers by shortcut. A handler gets the key, because some shortcuts stand for several keys. */
type Handlers = { readonly [N in ShortcutName]?: ((key: string) => void) | undefined }

/** The handlers of the mounted components, in mount order. */
const parts = new Set<{ readonly current: Handlers }>()

/** Registers shortcut handlers while the calling component is mounted. Single letters are ignored during text entry. */
export function useShortcuts(handlers: Handlers): void {
  const part = useRef(handlers)
  useEffect(() => {
    part.current = handlers
  })
  useEffect(() => {
    parts.add(part)
    return () => void parts.delete(part)
  }, [])
}

function handlerOf(name: ShortcutName): ((key: string) => void) | undefined {
  return [...parts].map(({ current }) => current[name]).find((handler) => handler !== undefined)
}

/** Returns the actions that are currently available on this page, for the palette. */
export function pageActions(): readonly (Shortcut & { readonly name: ShortcutName; readonly run: () => void })[] {
  return (Object.entries(SHORTCUTS) as [ShortcutName, Shortcut][]).flatMap(([name, shortcut]) => {
    const handler = handlerOf(name)
    // A shortcut for several keys needs to know which one was pressed, so the palette cannot run it.
    if (handler === undefined || shortcut.where === 'everywhere' || shortcut.keys === '0-9') return []
    return [{ ...shortcut, name, run: () => handler(shortcut.keys) }]
  })
}

/** Listens to all key presses and calls at most one handler for each. */
export function listenForKeys(): void {
  let last = ''
  let lastAt = Number.NEGATIVE_INFINITY
  addEventListener('keydown', (event) => {
    const key = pressed(event)
    const isCommand = key.startsWith('Ctrl+')
    const isText = isTyping(event.target)
    const before = event.timeStamp - lastAt < PREFIX_MS ? last : ''
    last = isText || isCommand ? '' : key
    lastAt = event.timeStamp
    if (event.altKey || event.defaultPrevented || (!isCommand && isText) || isPress(key, event.target)) return
    if (!isCommand && document.querySelector('dialog[open]') !== null) return
    const wanted = keysOf(before, key)
    const name = (Object.keys(SHORTCUTS) as ShortcutName[]).find((each) => SHORTCUTS[each].keys === wanted)
    const handler = name === undefined ? undefined : handlerOf(name)
    if (handler === undefined) return
    event.preventDefault()
    handler(key)
  })
}
