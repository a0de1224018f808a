import type { Json, Outcome } from '../../core/index.ts'
import { readAll, tail } from '../../journal/index.ts'
import type { Entry } from '../../journal/index.ts'
import { EXIT, exitCodeOfSignal } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withJournal } from '../host.ts'
import { untilStopped } from '../interrupt.ts'
import { typedRun } from '../typed-ids.ts'
import { dateTime, localDay, localTime, screenWidth } from '../terminal/layout.ts'
import { clip, print, printLine } from '../output.ts'
import { need } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'
import { MandateError, visible } from '../../core/index.ts'

export const logsCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      if (flags.follow && flags.json)
        throw new MandateError(
          'INPUT_INVALID',
          '--json prints one value at the end. With -f use --jsonl, which prints each entry as it arrives.',
        )
      const id = await typedRun(journal, need(words, 0, usageOf('logs')))
      if (flags.json) {
        printLine(await readAll(journal, id))
        return EXIT.ok
      }
      const { signal: stopped } = await untilStopped(async (signal) => {
        const entries = flags.follow ? tail(journal, id, { signal }) : journal.read(id)
        const log = new EntryLog(flags)
        for await (const entry of entries) log.print(entry)
      })
      return stopped === undefined ? EXIT.ok : exitCodeOfSignal(stopped)
    }),
}

/** Prints entries one by one as they arrive. On a terminal there are column heads and a line for each new day, and lines are cut at its width. */
class EntryLog {
  readonly #flags: Flags
  #day = ''

  constructor(flags: Flags) {
    this.#flags = flags
  }

  print(entry: Entry): void {
    print(this.#flags, entry, () => this.#linesOf(entry))
  }

  #linesOf(entry: Entry): string {
    const { seq, at, type, key = '' } = entry
    const width = screenWidth()
    const line = (time: string): string =>
      `${String(seq).padStart(5)}  ${time}  ${type.padEnd(17)}  ${key.padEnd(16)}  ${gist(entry)}`
    if (width === undefined) return line(dateTime(at))
    const heads = this.#day === '' ? [`  ${'SEQ  TIME'.padEnd(15)}${'TYPE'.padEnd(19)}${'KEY'.padEnd(18)}WHAT`] : []
    const day = localDay(at) === this.#day ? [] : [localDay(at)]
    this.#day = localDay(at)
    return [...heads, ...day, fitLine(visible(line(localTime(at))), width).trimEnd()].join('\n')
  }
}

/** Cuts a line at the edge of the screen. */
function fitLine(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}

/** Summarizes an entry in a few words. */
export function gist({ type, data }: Entry, length = 100): string {
  if (data === null) return '(erased)'
  switch (type) {
    case 'effect-end':
      return `${data.outcome.status} ${clip(cameTo(data.outcome), length)}`
    case 'effect-start':
      return `${data.name} ${clip(data.input, length)}`
    case 'effect-decide':
      return `${data.name} ${data.decision.verdict}: ${clip(data.decision.reason, length)}`
    case 'run-end':
      return data.state
    case 'run-suspend':
    case 'effect-retry':
      return clip(data.reason, length)
    case 'approval-request':
      return clip(data.text, length)
    case 'approval-response':
      return clip(data.text ?? data.answer, length)
    default:
      return clip(data, length)
  }
}

function cameTo(outcome: Outcome<Json>): Json {
  if (outcome.status === 'ok') return outcome.value
  return outcome.status === 'failed' ? outcome.error.message : outcome.reason
}
