import type { Clock } from '../../core/index.ts'

interface Parts {
  readonly clock: Clock
  readonly note: (text: string) => void
  /** Rejects while the store does not answer. */
  readonly look: () => Promise<unknown>
}

const LOOK_MS = 1_000

/** Says once that the store of a worker does not answer, and when it answers again: each part of a worker notices it, again and again. */
export function outageNotes({ clock, note, look }: Parts): (message: string) => void {
  let isAway = false
  const watch = (): void =>
    void clock.timer(
      LOOK_MS,
      () => {
        const back = (): void => {
          isAway = false
          note('the store answers again')
        }
        void look().then(back, watch)
      },
      true,
    )
  return (message) => {
    if (isAway) return
    isAway = true
    note(`the store does not answer normally: ${message}; this is reported once`)
    watch()
  }
}
