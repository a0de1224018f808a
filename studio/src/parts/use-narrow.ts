import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 52rem)'

/** Whether the window has room for one thing beside the other, or for one after the other alone: as the queries of the styles say it. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches)
}

function subscribe(changed: () => void): () => void {
  const media = matchMedia(NARROW)
  media.addEventListener('change', changed)
  return () => media.removeEventListener('change', changed)
}
