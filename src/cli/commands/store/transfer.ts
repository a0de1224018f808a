import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { MandateError, messageOf, systemClock } from '../../../core/index.ts'
import { exportRun, importRun } from '../../../journal/index.ts'
import { EXIT } from '../../exit-codes.ts'
import { withJournal } from '../../host.ts'
import { publicKeyFrom, signerFrom } from '../../keys.ts'
import { count, note } from '../../output.ts'
import { need } from '../command.ts'
import { usageOf } from '../../help/commands.ts'
import type { Command } from '../command.ts'

export const exportCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const run = need(words, 0, usageOf('export'))
      if ((await journal.summary(run)) === undefined)
        throw new MandateError('NOT_FOUND', `There is no run "${run}" here. List the runs with: mandate runs`)
      if (journal.isEncrypted) note('The store is encrypted, the export is not: it holds what was said in plain text.')
      const signer = flags.sign === undefined ? undefined : signerFrom(flags.sign)
      for await (const line of exportRun(journal, run, signer)) process.stdout.write(`${line}\n`)
      return EXIT.ok
    }),
}

export const importCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const file = need(words, 0, usageOf('import'))
      const key = flags.public === undefined ? undefined : publicKeyFrom(flags.public)
      const { run, entries } = await importRun(journal, linesOf(file), systemClock.now(), key)
      if (entries > 0 && key === undefined)
        note(`${run} is not signed by a trusted key: approvals in it do not count here and are asked for again.`)
      note(entries === 0 ? `${run} was here already` : `${run}: ${count(entries, 'entry', 'entries')}`)
      return EXIT.ok
    }),
}

/** The lines of a file, or of what is piped in. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: file === '-' ? process.stdin : createReadStream(file) })
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', `${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}
