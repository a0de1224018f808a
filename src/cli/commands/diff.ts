import { MandateError, isSame, visible } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { alignEntries, foldSame, readAll } from '../../journal/index.ts'
import type { Entry, EntryPair, RunSummary } from '../../journal/index.ts'
import { EXIT } from '../exit-codes.ts'
import { usageOf } from '../help/commands.ts'
import { withJournal } from '../host.ts'
import { clip, paintData, printPainted } from '../output.ts'
import type { OpenedJournal } from '../store.ts'
import { typedRun } from '../typed-ids.ts'
import { need } from './command.ts'
import type { Command } from './command.ts'
import { gist } from './inspect.ts'

interface Side {
  readonly summary: RunSummary
  readonly entries: readonly Entry[]
}

/** Shows two runs side by side, like the page Compare of the studio. */
export const diffCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const first = await sideOf(journal, need(words, 0, usageOf('diff')))
      const given = words[1]
      // A fork given alone is compared with the run it was forked from, which is shown on the left.
      const [a, b] =
        given === undefined ? [await sideOf(journal, originOf(first)), first] : [first, await sideOf(journal, given)]
      const pairs = alignEntries(a.entries, b.entries)
      const counts = countsOf(pairs)
      const isUnchanged = counts.same === pairs.length
      printPainted(flags, { a: a.summary, b: b.summary, ...counts, pairs }, () => [
        ...heads(a, b),
        ...foldSame(pairs).map(rowOf),
        '',
        summaryOf(counts),
      ])
      return isUnchanged ? EXIT.ok : EXIT.failed
    }),
}

async function sideOf(journal: OpenedJournal, typed: string): Promise<Side> {
  const run = await typedRun(journal, typed)
  return { summary: (await journal.summary(run))!, entries: await readAll(journal, run) }
}

function originOf({ summary, entries }: Side): string {
  const [start] = entries
  const forkOf = start?.type === 'run-start' ? start.data?.forkOf : undefined
  if (forkOf !== undefined) return forkOf.run
  throw new MandateError(
    'INPUT_INVALID',
    `Run "${summary.run}" is not a fork, so there is no original to compare it with. Give two runs: mandate diff <run> <run>`,
  )
}

interface Counts {
  readonly same: number
  readonly changed: number
  readonly onlyA: number
  readonly onlyB: number
}

function countsOf(pairs: readonly EntryPair[]): Counts {
  const count = (kind: EntryPair['kind']): number => pairs.filter((pair) => pair.kind === kind).length
  return { same: count('same'), changed: count('changed'), onlyA: count('only-a'), onlyB: count('only-b') }
}

function summaryOf({ same, changed, onlyA, onlyB }: Counts): string {
  return `same ${same}, changed ${changed}, only in A ${onlyA}, only in B ${onlyB}`
}

/** The mark before a row: `~` changed, `<` and `>` only on one side. */
const MARKS = { same: ' ', changed: '~', 'only-a': '<', 'only-b': '>' } as const
const COLOURS = { same: 'dim', changed: 'yellow', 'only-a': 'red', 'only-b': 'cyan' } as const
/** Width of a row in a pipe; a terminal has its own width. */
const PIPE_WIDTH = 160
const WIDTH_MIN = 60

/** Returns the width of each side: mark and separator take five columns. */
function sideWidth(): number {
  return Math.floor((Math.max(process.stdout.columns ?? PIPE_WIDTH, WIDTH_MIN) - 5) / 2)
}

function heads({ summary: a }: Side, { summary: b }: Side): readonly string[] {
  const width = sideWidth()
  const head = (name: string, { run, state }: RunSummary): string => clip(`${name} ${run} ${state}`, width)
  return [`  ${head('A', a).padEnd(width)} | ${head('B', b)}`, `  ${'-'.repeat(width)}-|-${'-'.repeat(width)}`]
}

function rowOf({ pair, more }: { readonly pair: EntryPair; readonly more: number }): string {
  if (more > 0) return paintData('dim', `  entries ${pair.a!.seq} to ${pair.a!.seq + more} are the same`)
  const width = sideWidth()
  const [left, right] = [pair.a, pair.b].map((entry) => (entry === undefined ? '' : sideText(entry, pair, width)))
  return paintData(COLOURS[pair.kind], `${MARKS[pair.kind]} ${left!.padEnd(width)} | ${right}`.trimEnd())
}

/** Formats an entry as one line. If both sides begin alike, the text before the first difference is shortened, so that the difference is visible. */
function sideText(entry: Entry, { a, b, kind }: EntryPair, width: number): string {
  const head = `${entry.seq} ${entry.type} ${entry.key ?? ''}`.trimEnd()
  const isInput = kind === 'changed' && hasOtherInput(a!, b!)
  const textOf = (one: Entry): string => (isInput ? clip(inputOf(one), TEXT_MAX) : gist(one, TEXT_MAX))
  const text = textOf(entry)
  const shared = kind === 'changed' ? sharedLength(textOf(a!), textOf(b!)) : 0
  const room = width - head.length - 2
  const from = shared > room / 2 ? Math.max(0, shared - Math.floor(room / 3)) : 0
  return clip(visible(`${head}  ${from > 0 ? '…' : ''}${text.slice(from)}`), width)
}

const TEXT_MAX = 10_000

/**
 * Whether two start entries have different inputs. Then only the inputs are shown, because other differences, such as the origin of a fork, would hide them.
 */
function hasOtherInput(a: Entry, b: Entry): boolean {
  return a.type === 'run-start' && b.type === 'run-start' && !isSame(inputOf(a), inputOf(b))
}

function inputOf({ type, data }: Entry): Json {
  return type === 'run-start' && data !== null ? data.input : null
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}
