import { readAll } from '../../journal/index.ts'
import type { Entry, RunSummary } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import { EXIT } from '../exit-codes.ts'
import { answeringCommands } from '../progress.ts'
import { ownCommand } from '../help/own-command.ts'
import { typedRun } from '../typed-ids.ts'
import { usageOf } from '../help/commands.ts'
import { withJournal } from '../host.ts'
import { block, dateTime } from '../terminal/layout.ts'
import { count, paintData, printPainted, spentText } from '../output.ts'
import { transcriptOf } from '../terminal/transcript.ts'
import type { Transcript } from '../terminal/transcript.ts'
import { nowhere } from './answers.ts'
import { need } from './command.ts'
import type { Command } from './command.ts'
import { stateOf } from './run-list.ts'

/** Shows a run as a conversation: messages, calls, decisions and answers, open requests, and resources used. */
export const showCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const id = await typedRun(journal, need(words, 0, usageOf('show')))
      const summary = (await journal.summary(id))!
      const entries = await readAll(journal, id)
      const waiting = summary.state === 'suspended' ? await new Kernel({ journal, engine: nowhere }).approvals(id) : []
      printPainted(flags, { summary, entries }, () => shown(summary, entries, waiting))
      return EXIT.ok
    }),
}

function shown(summary: RunSummary, entries: readonly Entry[], waiting: readonly ApprovalRequest[]): readonly string[] {
  const transcript = transcriptOf(entries)
  const { answer, error } = transcript
  return [
    `${summary.run}  ${stateOf(summary)}  ${summary.name}  ${dateTime(summary.createdAt)}`,
    paintData('dim', totalsText(transcript)),
    ...transcript.lines,
    ...(answer === undefined ? [] : ['', paintData('cyan', 'answer'), ...block(answer, '  ')]),
    ...(error === undefined ? [] : ['', paintData('red', `error[${error.code}]`), ...block(error.message, '  ')]),
    ...(summary.state === 'suspended' ? ['', ...waitingLines(summary, waiting)] : []),
  ]
}

function totalsText({ turns, calls, spent: { totalTokens = 0, money, estimated }, activeMs }: Transcript): string {
  return [
    count(turns, 'turn'),
    count(calls, 'call'),
    money === undefined ? count(totalTokens, 'token') : spentText(totalTokens, money, estimated),
    ...(activeMs === undefined ? [] : [`${(activeMs / 1_000).toFixed(1)} s`]),
  ].join(', ')
}

/** Lists the requests that a suspended run waits for, each with the command that answers it. */
function waitingLines({ run, wakeAt }: RunSummary, waiting: readonly ApprovalRequest[]): readonly string[] {
  const asked = waiting.flatMap(({ id, reason, name, text }) => [
    ...block(reason === 'question' ? text : `${name}: ${text}`, '  '),
    ...answeringCommands(id, reason).map((command) => `    ${command}`),
  ])
  const timer = waiting.length > 0 || wakeAt === undefined ? [] : [`  It continues by itself at ${dateTime(wakeAt)}.`]
  const next = waiting.length > 0 ? [] : [`  continue with: ${ownCommand()} resume ${run.split('.')[0]}`]
  return [paintData('yellow', 'waiting'), ...asked, ...timer, ...next]
}
