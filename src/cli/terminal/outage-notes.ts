import type { Clock } from '../../core/index.ts'

interface Parts {
  readonly clock: Clock
  readonly note: (text: string) => void
  /** The name of the watched system in the notes; the store by default. */
  readonly what?: string | undefined
  /** Rejects during the outage. */
  readonly look: () => Promise<unknown>
}

const LOOK_MS = 1_000

/**
 * Reports once that the store of a worker, or the server that places its runs, does not answer, and when it answers again. Each part of a worker notices
 * an outage repeatedly.
 */
export function outageNotes({ clock, note, what = 'the store', look }: Parts): (message: string) => void {
  let isAway = false
  const watch = (): void =>
    void clock.timer(
      LOOK_MS,
      () => {
        const back = (): void => {
          isAway = false
          note(`${what} answers again`)
        }
        void look().then(back, watch)
      },
      true,
    )
  return (message) => {
    if (isAway) return
    isAway = true
    note(`${what} does not answer normally: ${message}; this is reported once`)
    watch()
  }
}
