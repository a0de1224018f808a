import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { MandateError, messageOf, systemClock } from '../../../core/index.ts'
import { exportRun, importRun } from '../../../journal/index.ts'
import { EXIT } from '../../exit-codes.ts'
import { withJournal } from '../../host.ts'
import { publicKeyFrom, signerFrom } from '../../keys.ts'
import { count, note, print, writeData } from '../../output.ts'
import { typedRun } from '../../typed-ids.ts'
import { need } from '../command.ts'
import { usageOf } from '../../help/commands.ts'
import type { Command } from '../command.ts'

export const exportCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const typed = need(words, 0, usageOf('export'))
      if (flags.json)
        throw new MandateError(
          'INPUT_INVALID',
          'An export is lines of JSON, which import and verify read. Leave out --json, or use --jsonl.',
        )
      const run = await typedRun(journal, typed)
      if (journal.isEncrypted) note('The store is encrypted, but the export is not: it is plain text.')
      const signer = flags.sign === undefined ? undefined : signerFrom(flags.sign)
      for await (const line of exportRun(journal, run, signer)) writeData(`${line}\n`)
      return EXIT.ok
    }),
}

export const importCommand: Command = {
  run(flags, words) {
    const file = need(words, 0, usageOf('import'))
    if (file !== '-' && !existsSync(file))
      throw new MandateError('INPUT_INVALID', `There is no file ${file}. Give what \`mandate export\` printed.`)
    return withJournal(
      flags,
      async (journal) => {
        const key = flags.public === undefined ? undefined : publicKeyFrom(flags.public)
        const { run, entries } = await importRun(journal, linesOf(file), systemClock.now(), key)
        if (entries > 0 && key === undefined)
          note(`${run} is not signed by a trusted key: approvals in it do not count here and are asked for again.`)
        print(flags, { run, entries }, () => '')
        note(entries === 0 ? `${run} was here already` : `${run}: ${count(entries, 'entry', 'entries')}`)
        return EXIT.ok
      },
      { existing: false },
    )
  },
}

/** Reads the lines of a file, or of stdin for `-`. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: file === '-' ? process.stdin : createReadStream(file) })
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', `${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}
