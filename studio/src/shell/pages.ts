import type { ShortcutName } from '../keys/shortcuts.ts'

/** A page of the navigation. To add a page, also change the router, `SHORTCUTS`, and the server's list of pages. */
export interface PageInfo {
  /** The shortcut that opens it. */
  readonly id: ShortcutName
  readonly to: '/' | '/inbox' | '/compare' | '/agents' | '/costs' | '/evals' | '/workers' | '/policy' | '/doctor'
  readonly title: string
  /** Its name in the palette, if the title alone is unclear. */
  readonly label?: string
}

/** The pages in navigation order, for the bar, the palette and the keys. */
export const PAGES: readonly PageInfo[] = [
  { id: 'runs', to: '/', title: 'Runs' },
  { id: 'inbox', to: '/inbox', title: 'Inbox' },
  { id: 'compare', to: '/compare', title: 'Compare', label: 'Compare two runs' },
  { id: 'agents', to: '/agents', title: 'Agents', label: 'Agents and prompts' },
  { id: 'costs', to: '/costs', title: 'Costs' },
  { id: 'evals', to: '/evals', title: 'Evals' },
  { id: 'workers', to: '/workers', title: 'Workers' },
  { id: 'policy', to: '/policy', title: 'Policy', label: 'Policy: what would the gate say?' },
  { id: 'doctor', to: '/doctor', title: 'Doctor' },
]
