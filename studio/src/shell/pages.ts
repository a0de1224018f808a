import type { ShortcutName } from '../keys/shortcuts.ts'

/** One page of the navigation. A page is added here, in the router, in `SHORTCUTS`, and in the list of pages of the server. */
export interface PageInfo {
  /** The shortcut that goes there. */
  readonly id: ShortcutName
  readonly to: '/' | '/inbox' | '/compare' | '/agents' | '/costs' | '/evals' | '/workers' | '/policy' | '/doctor'
  readonly title: string
  /** How the palette calls it, where the title alone says too little. */
  readonly label?: string
}

/** In the order of the navigation: the bar, the palette and the keys follow from it. */
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
