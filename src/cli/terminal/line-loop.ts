import type { Completer } from 'node:readline/promises'
import type { Flags } from '../flags.ts'
import { historyFile, readHistory, writeHistory } from './line-history.ts'
import { pipeReader, terminalReader } from './line-reader.ts'
import type { LineReader } from './line-reader.ts'

/** An interactive command (`mandate chat`, `mandate repl`) that reads lines. */
interface LineScene {
  readonly flags: Flags
  /** The name of the history file, which is stored beside the runs. */
  readonly historyName: string
  /** Whether a text is complete; otherwise the next line is appended to it. */
  isWhole(text: string): boolean
  /** The message shown when Ctrl-C is pressed on an empty line. */
  readonly leaving: string
  readonly completer: Completer
  /** Processes a text or a command; `true` ends the loop. */
  take(text: string): Promise<boolean>
}

/** Reads one text after the other, from a terminal with its history or from a pipe, until the input ends or `take` returns `true`. */
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
