import { createInterface } from 'node:readline/promises'
import type { Completer, Interface } from 'node:readline/promises'
import { afterTurn } from '../../core/index.ts'

/** Where lines come from, typed or piped. */
export interface LineReader {
  /** The next text or command; nothing at the end. */
  next(): Promise<string | undefined>
  close(): void
}

/** How lines are read. */
interface Reading {
  /** Whether a text is one by itself; otherwise the next line belongs to it. */
  isWhole(text: string): boolean
  /** What is said when Ctrl-C is pressed and nothing was typed. */
  readonly leaving: string
  readonly completer: Completer
}

const PROMPT = '> '
const MORE = '. '
const HISTORY_MAX = 1_000

/**
 * Reads lines from a terminal. A line that only begins something is gone on with on the next one; Ctrl-C drops what was typed; lines that are pasted
 * together are taken one after the other. While one is worked on nothing is read, so that questions of the run get the keyboard for themselves.
 */
export function terminalReader(reading: Reading, history: string[]): LineReader {
  /** Lines that came with the last one, and the beginning of the next. */
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
        // What was pasted behind it arrives in this turn of the event loop.
        afterTurn(() => {
          begun = terminal.line
          terminal.close()
        })
      }
      terminal.on('history', (now: string[]) => void history.splice(0, history.length, ...now))
      terminal.on('SIGINT', () => {
        // Pressed right behind Enter: it is meant for what begins then.
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

/** Reads lines from a pipe or a file: each text as soon as it is whole. */
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
