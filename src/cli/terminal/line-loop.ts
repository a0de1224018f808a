import type { Completer } from 'node:readline/promises'
import type { Flags } from '../flags.ts'
import { historyFile, readHistory, writeHistory } from './line-history.ts'
import { pipeReader, terminalReader } from './line-reader.ts'
import type { LineReader } from './line-reader.ts'

/** What a command line of its own (`mandate chat`, `mandate repl`) does with what is typed. */
interface LineScene {
  readonly flags: Flags
  /** The file that keeps what was typed, beside the runs. */
  readonly historyName: string
  /** Whether a text is one by itself; otherwise the next line belongs to it. */
  isWhole(text: string): boolean
  /** What is said when Ctrl-C is pressed and nothing was typed. */
  readonly leaving: string
  readonly completer: Completer
  /** Takes a text or a command; `true` leaves. */
  take(text: string): Promise<boolean>
}

/** Takes one text after the other, from a terminal with its history or from a pipe, until the input or the scene ends. */
export async function takeLines(scene: LineScene): Promise<void> {
  const { flags, historyName, ...reading } = scene
  const isTyped = process.stdin.isTTY
  const file = historyFile(flags, historyName)
  const history = isTyped ? readHistory(file) : []
  const reader: LineReader = isTyped ? terminalReader(reading, history) : pipeReader(process.stdin, reading)
  try {
    for (let text = await reader.next(); text !== undefined; text = await reader.next())
      if (text.trim() !== '' && (await scene.take(text))) break
  } finally {
    reader.close()
    if (isTyped) writeHistory(file, history)
  }
}
