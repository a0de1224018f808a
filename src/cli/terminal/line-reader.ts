import { createInterface } from 'node:readline/promises'
import type { Completer, Interface } from 'node:readline/promises'
import { afterTurn } from '../../core/index.ts'

/** A source of lines, typed or piped. */
export interface LineReader {
  /** Returns the next text or command; undefined at the end. */
  next(): Promise<string | undefined>
  close(): void
}

/** How lines are read. */
interface Reading {
  /** Whether a text is complete; otherwise the next line is appended to it. */
  isWhole(text: string): boolean
  /** The message shown when Ctrl-C is pressed on an empty line. */
  readonly leaving: string
  readonly completer: Completer
}

const PROMPT = '> '
const MORE = '. '
const HISTORY_MAX = 1_000

/**
 * Reads lines from a terminal. An incomplete text continues on the next line; Ctrl-C discards the typed text; lines pasted together are processed one after the
 * other. While a text is processed nothing is read, so that questions of the run can use the keyboard.
 */
export function terminalReader(reading: Reading, history: string[]): LineReader {
  /** Lines that arrived together with the last one, and the beginning of the next line. */
  const ahead: string[] = []
  let begun = ''
  let open: Interface | undefined
  const next = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      const lines: string[] = []
      let whole: string | undefined
      let isInterrupted = false
      const terminal = createInterface({
        input: process.stdin,
        output: process.stderr,
        completer: reading.completer,
        history: [...history],
        historySize: HISTORY_MAX,
        removeHistoryDuplicates: true,
      })
      open = terminal
      const ask = (): void => {
        terminal.setPrompt(lines.length === 0 ? PROMPT : MORE)
        terminal.prompt()
      }
      const take = (line: string): void => {
        if (whole !== undefined) return void ahead.push(line)
        lines.push(line)
        if (!reading.isWhole(lines.join('\n'))) return ask()
        whole = lines.join('\n')
        // Text pasted after this line arrives in the same turn of the event loop.
        afterTurn(() => {
          begun = terminal.line
          terminal.close()
        })
      }
      terminal.on('history', (now: string[]) => void history.splice(0, history.length, ...now))
      terminal.on('SIGINT', () => {
        // Pressed right after Enter: it applies to the work that starts next.
        if (whole !== undefined) return void (isInterrupted = true)
        const isEmpty = lines.length === 0 && terminal.line === ''
        lines.length = 0
        process.stderr.write(isEmpty ? `\n${reading.leaving}\n` : '\n')
        terminal.write(null, { ctrl: true, name: 'u' })
        ask()
      })
      terminal.on('close', () => {
        resolve(whole)
        if (isInterrupted) afterTurn(() => process.emit('SIGINT'))
      })
      terminal.on('line', take)
      ask()
      for (const line of ahead.splice(0)) {
        if (whole === undefined) process.stderr.write(`${line}\n`)
        take(line)
      }
      if (begun !== '') terminal.write(begun)
      begun = ''
    })
  return { next, close: () => open?.close() }
}

/** Reads texts from a pipe or a file, each as soon as it is complete. */
export function pipeReader(input: NodeJS.ReadableStream, { isWhole }: Pick<Reading, 'isWhole'>): LineReader {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  return {
    async next() {
      let text: string | undefined
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) return text
        text = text === undefined ? value : `${text}\n${value}`
        if (isWhole(text)) return text
      }
    },
    close: () => void lines.return?.(),
  }
}
