import { stripVTControlCharacters } from 'node:util'
import { monotonicNow, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/** Erases the line of the cursor. */
const ERASE = '\r\u001B[2K'
/** Delay before the status is first shown, so that short commands do not flicker. */
const FIRST_MS = 300
const NEXT_MS = 100
const FRAMES = { unicode: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', ascii: '|/-\\' }

/** The output that the line is drawn on. */
interface StatusScreen {
  readonly columns?: number | undefined
  write(text: string): unknown
}

interface StatusLineOptions {
  readonly screen: StatusScreen
  /** Returns the text of the line, given the milliseconds since the work began. */
  readonly text: (elapsedMs: number) => string
  /** Whether the line may be drawn now: not within an unfinished line of text or a prompt. */
  readonly isFree: () => boolean
  readonly isUnicode?: boolean | undefined
  readonly clock?: Clock | undefined
}

/** A line at the end of the screen that is redrawn while work is in progress, and erased before other output. */
export class StatusLine {
  readonly #options: StatusLineOptions
  readonly #clock: Clock
  readonly #startedAt: number
  #cancel: (() => void) | undefined
  #isDrawn = false
  #frame = 0

  constructor(options: StatusLineOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#startedAt = monotonicNow(this.#clock)
    this.#arm(FIRST_MS)
  }

  /** Removes the line from the screen until it is redrawn. */
  erase(): void {
    if (this.#isDrawn) this.#options.screen.write(ERASE)
    this.#isDrawn = false
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.erase()
  }

  #arm(ms: number): void {
    this.#cancel = this.#clock.timer(
      ms,
      () => {
        this.#draw()
        this.#arm(NEXT_MS)
      },
      true,
    )
  }

  #draw(): void {
    const { screen, text, isFree, isUnicode = true } = this.#options
    if (!isFree()) return
    const frames = isUnicode ? FRAMES.unicode : FRAMES.ascii
    const frame = frames[this.#frame++ % frames.length]!
    const line = `${frame} ${text(monotonicNow(this.#clock) - this.#startedAt)}`
    screen.write(`${ERASE}${clipLine(line, (screen.columns ?? 80) - 1)}`)
    this.#isDrawn = true
  }
}

/** Cuts a line so that it does not wrap, because a wrapped status cannot be erased. Characters that may be two columns wide are replaced. */
function clipLine(line: string, width: number): string {
  const plain = stripVTControlCharacters(line).replaceAll(/[^\u0020-\u007E\u00B7\u2800-\u28FF]/gu, '?')
  return plain.length > width ? plain.slice(0, Math.max(0, width)) : plain
}
