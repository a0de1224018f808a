import { MandateError } from '../../../core/index.ts'
import { EXIT } from '../../exit-codes.ts'
import { withJournal } from '../../host.ts'
import { print } from '../../output.ts'
import { readPast } from '../command.ts'
import type { Command } from '../command.ts'
import { readLimit } from '../run-list.ts'

const RUNS = 1_000

export const metricsCommand: Command = {
  run: (flags, [name]) =>
    withJournal(flags, async (journal) => {
      if (name !== undefined && (await journal.list({ name, limit: 1 })).length === 0)
        throw new MandateError('NOT_FOUND', `There is no run of "${name}" here. List the runs with: mandate runs`)
      const { runMetrics } = await import('../../../evals/index.ts')
      const { metricsText } = await import('./eval-text.ts')
      const { session: sessionId, since } = flags
      const metrics = await runMetrics(journal, {
        ...{ name, sessionId, limit: readLimit(flags.limit, RUNS) },
        since: since === undefined ? undefined : readPast(since, '--since'),
      })
      print(flags, metrics, () => metricsText(metrics))
      return EXIT.ok
    }),
}
