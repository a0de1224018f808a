import { existsSync } from 'node:fs'
import { isSignedHead, readExport, verifyExport } from '../../../journal/index.ts'
import type { SignedHead, VerifyReport } from '../../../journal/index.ts'
import { MandateError } from '../../../core/index.ts'
import { Kernel } from '../../../run/index.ts'
import type { AuditReport } from '../../../run/index.ts'
import type { OpenedJournal } from '../../store.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withJournal } from '../../host.ts'
import { publicKeyFrom } from '../../keys.ts'
import { typedRun } from '../../typed-ids.ts'
import { block, listing } from '../../terminal/layout.ts'
import { clip, count, print } from '../../output.ts'
import { need, readJson } from '../command.ts'
import { usageOf } from '../../help/commands.ts'
import type { Command } from '../command.ts'
import { linesOf } from './transfer.ts'

export const verifyCommand: Command = {
  async run(flags, words) {
    if (flags.all && words.length > 0)
      throw new MandateError('INPUT_INVALID', `--all is every run. Leave out either --all or "${words[0]}".`)
    if (flags.all) return auditCommand.run(flags, words)
    const what = need(words, 0, usageOf('verify'))
    if (!existsSync(what) && /\.jsonl?$/u.test(what))
      throw new MandateError(
        'NOT_FOUND',
        `There is no file ${what}. Give a file that mandate export wrote, or the id of a run.`,
      )
    const report = existsSync(what) ? await verifyFile(flags, what) : await verifyStored(flags, what)
    print(flags, report, () => block(report.ok ? described(report) : report.problems.join('\n'), '').join('\n'))
    return report.ok ? EXIT.ok : EXIT.store
  },
}

function verifyStored(flags: Flags, what: string): Promise<VerifyReport> {
  const verify = async (journal: OpenedJournal): Promise<VerifyReport> => {
    const run = await typedRun(journal, what)
    const { heads, publicKeys } = await readOutside(flags)
    const head = heads?.findLast((one) => one.run === run)
    return new Kernel({ journal }).verify(run, { head, publicKeys })
  }
  return withJournal(flags, verify, { withoutKeys: true })
}

function described(report: VerifyReport): string {
  const { entries, head, signature, covered } = report
  const signed = signature === undefined ? '' : ', signature valid'
  const behind =
    covered === undefined || covered >= entries ? '' : ` up to entry ${covered}; ${entries - covered} entries follow it`
  return `ok: ${entries} entries, head ${head.seq} ${head.hash}${signed}${behind}\n${authorityText(report)}`
}

/** Describes the result of a verification. Integrity of the chain and authority of the answers are reported separately. */
function authorityText({ authority, unproven, imported }: VerifyReport): string {
  const came = imported === undefined ? '' : ` Entries ${imported.from} to ${imported.to} were imported.`
  if (authority === 'not-needed') return `chain intact; nothing was approved or answered by a person.${came}`
  if (authority === 'shown') return `chain intact; every answer of a person is signed.${came}`
  const at = unproven.join(', ')
  return `chain intact; nothing proves who gave the answers at entry ${at}. If they are signed, check them with --public.${came}`
}

async function verifyFile(flags: Flags, file: string): Promise<VerifyReport> {
  const exported = await readExport(linesOf(file))
  const { publicKeys, heads } = await readOutside(flags)
  return verifyExport(exported, { head: heads?.findLast(({ run }) => run === exported.run), publicKeys })
}

/** Reads the verification data that is stored elsewhere: the public key, and signed heads, one per line. */
async function readOutside(
  flags: Flags,
): Promise<{ publicKeys?: ReturnType<typeof publicKeyFrom>; heads?: readonly SignedHead[] }> {
  const publicKeys = flags.public === undefined ? {} : { publicKeys: publicKeyFrom(flags.public) }
  if (flags.heads === undefined) return publicKeys
  const heads: SignedHead[] = []
  for await (const line of linesOf(flags.heads)) {
    if (line.trim() === '') continue
    const head = readJson(line, `A line of ${flags.heads}`)
    if (!isSignedHead(head))
      throw new MandateError('INPUT_INVALID', `${flags.heads} has a line that is no signed head.`)
    heads.push(head)
  }
  return { ...publicKeys, heads }
}

export const auditCommand: Command = {
  run: (flags) =>
    withJournal(
      flags,
      async (journal) => {
        const report = await new Kernel({ journal }).audit(await readOutside(flags))
        print(flags, report, () => auditText(report))
        return report.ok ? EXIT.ok : EXIT.store
      },
      { withoutKeys: true },
    ),
}

function auditText({ ok, runs, entries, erased, incidents, blocked }: AuditReport): string {
  const blocks = blocked.map(({ run, seq, how, name, rule, reason }) => [
    run,
    String(seq),
    how,
    name,
    rule,
    clip(reason),
  ])
  return [
    `${ok ? 'ok' : 'WRONG'}: ${count(runs, 'run')}, ${count(entries, 'entry', 'entries')} (${erased} erased), ${count(incidents.length, 'incident')}`,
    ...incidents.flatMap(({ run, problem }) => block(`${run}: ${problem}`, '  ')),
    ...(blocked.length === 0
      ? []
      : [
          `${blocked.length} blocked or changed by the gate or by people:`,
          listing(['run', 'entry', 'how', 'call', 'rule', 'why'], blocks),
        ]),
  ].join('\n')
}
