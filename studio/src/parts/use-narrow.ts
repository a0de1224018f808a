import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 52rem)')

/** Whether the window is narrow, by the same media query as the styles. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}
