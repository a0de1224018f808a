import { createInterface } from 'node:readline/promises'
import type { Completer, Interface } from 'node:readline/promises'
import { afterTurn } from '../../core/index.ts'
import { isUnfinished } from '../../vm/index.ts'

/** Where cells come from. */
export interface CellReader {
  /** The next cell or command; nothing at the end. */
  next(): Promise<string | undefined>
  close(): void
}

const PROMPT = '> '
const MORE = '. '
const HISTORY_MAX = 1_000

/**
 * Reads cells from a terminal. A line that only begins something is gone on with on the next one; Ctrl-C drops what was typed; lines that are pasted
 * together are taken one after the other. While a cell is evaluated nothing is read, so that questions of the run get the keyboard for themselves.
 */
export function terminalReader(completer: Completer, history: string[]): CellReader {
  /** Lines that came with the last one, and the beginning of the next. */
  const ahead: string[] = []
  let begun = ''
  let open: Interface | undefined
  const next = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      const lines: string[] = []
      let cell: string | undefined
      let isInterrupted = false
      const terminal = createInterface({
        input: process.stdin,
        output: process.stderr,
        completer,
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
        if (cell !== undefined) return void ahead.push(line)
        lines.push(line)
        if (!isWhole(lines.join('\n'))) return ask()
        cell = lines.join('\n')
        // What was pasted behind it arrives in this turn of the event loop.
        afterTurn(() => {
          begun = terminal.line
          terminal.close()
        })
      }
      terminal.on('history', (now: string[]) => void history.splice(0, history.length, ...now))
      terminal.on('SIGINT', () => {
        // Pressed right behind Enter: it is meant for the cell.
        if (cell !== undefined) return void (isInterrupted = true)
        const isEmpty = lines.length === 0 && terminal.line === ''
        lines.length = 0
        process.stderr.write(isEmpty ? '\n(Ctrl-D or :quit leaves; the session stays.)\n' : '\n')
        terminal.write(null, { ctrl: true, name: 'u' })
        ask()
      })
      terminal.on('close', () => {
        resolve(cell)
        if (isInterrupted) afterTurn(() => process.emit('SIGINT'))
      })
      terminal.on('line', take)
      ask()
      for (const line of ahead.splice(0)) {
        if (cell === undefined) process.stderr.write(`${line}\n`)
        take(line)
      }
      if (begun !== '') terminal.write(begun)
      begun = ''
    })
  return { next, close: () => open?.close() }
}

/** Reads cells from a pipe or a file: each as soon as it is whole. */
export function pipeReader(input: NodeJS.ReadableStream): CellReader {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  return {
    async next() {
      let cell: string | undefined
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) return cell
        cell = cell === undefined ? value : `${cell}\n${value}`
        if (isWhole(cell)) return cell
      }
    },
    close: () => void lines.return?.(),
  }
}

/** A command is one line; a cell may need more of them. */
function isWhole(text: string): boolean {
  return text.trimStart().startsWith(':') || !isUnfinished(text)
}
