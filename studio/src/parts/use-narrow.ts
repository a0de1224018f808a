import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 52rem)')

/** Whether the window has room for one thing beside the other, or for one after the other alone: as the queries of the styles say it. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}
