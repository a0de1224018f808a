import { stripVTControlCharacters } from 'node:util'
import { monotonicNow, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/** Erases the line that the cursor is in. */
const ERASE = '\r\u001B[2K'
/** Work that ends sooner shows no status, so that short commands do not flicker. */
const FIRST_MS = 300
const NEXT_MS = 100
const FRAMES = { unicode: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', ascii: '|/-\\' }

/** Where the line is drawn. */
interface StatusScreen {
  readonly columns?: number | undefined
  write(text: string): unknown
}

interface StatusLineOptions {
  readonly screen: StatusScreen
  /** Gives the text of the line, for the milliseconds since the work began. */
  readonly text: (elapsedMs: number) => string
  /** Whether the line may be drawn now: not into an open line of text, and not into a prompt. */
  readonly isFree: () => boolean
  readonly isUnicode?: boolean | undefined
  readonly clock?: Clock | undefined
}

/** One line at the end of the screen that is drawn again while something works, and erased before anything else is written. */
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

  /** Removes the line from the screen until it is drawn the next time. */
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

/** A line that does not wrap: a status that wraps cannot be erased. Characters that may be two columns wide are replaced. */
function clipLine(line: string, width: number): string {
  const plain = stripVTControlCharacters(line).replaceAll(/[^\u0020-\u007E\u00B7\u2800-\u28FF]/gu, '?')
  return plain.length > width ? plain.slice(0, Math.max(0, width)) : plain
}
