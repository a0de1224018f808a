import type { AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { DbosEngineOptions, FleetReport } from '../../../engine/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withJournal, withService } from '../../host.ts'
import { untilStopped } from '../../interrupt.ts'
import { findConfig, importModule, loadService } from '../../load-module.ts'
import { clip, count, note, print, table } from '../../output.ts'
import { reportOf, takingEngine } from '../../workers.ts'
import { readNumber } from '../command.ts'
import type { Command } from '../command.ts'

/** A worker, until a signal comes. */
export const workerCommand: Command = {
  async run(flags, words) {
    const file = words[0] ?? flags.file ?? findConfig()
    if (file === undefined)
      throw new MandateError('INPUT_INVALID', 'There is no mandate.config.ts here. Give a file: mandate worker <file>')
    const options = await optionsOf(flags, file)
    const { loaded } = await loadService(file)
    return withService({ ...flags, noInput: true }, loaded, (service) => work(flags, service), {
      quiet: !flags.jsonl,
      engine: async (journal) => takingEngine(journal, options),
    })
  },
}

async function work(flags: Flags, service: AgentService): Promise<number> {
  service.events.on('engine-fault', ({ runId, data }) => note(`${runId}: ${data.message}`))
  const { graphReviews } = await import('../../../graph/index.ts')
  for (const problem of (await graphReviews(service).restore()).problems) note(problem)
  await service.start()
  const { agents } = await service.health()
  print(flags, { state: 'up', pid: process.pid, agents }, () => `working: ${agents.join(', ')}`)
  const { signal } = await untilStopped(
    (stop) => new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve())),
  )
  const { suspended, left } = await service.stop()
  if (signal !== undefined && suspended.length > 0) note(`handed over: ${count(suspended.length, 'run')}`)
  if (left.length > 0) note(`left to the others: ${count(left.length, 'run')}`)
  return EXIT.ok
}

async function optionsOf(flags: Flags, file: string): Promise<Omit<DbosEngineOptions, 'url' | 'role'>> {
  const { concurrency, queues: taken, deployment } = flags
  const { queues } = (await importModule(file)) as { readonly queues?: DbosEngineOptions['queues'] }
  return {
    ...(concurrency === undefined ? {} : { concurrency: readNumber(concurrency, '--concurrency') }),
    ...(taken === undefined ? {} : { take: taken.split(',') }),
    ...(deployment === undefined ? {} : { version: deployment }),
    ...(queues === undefined ? {} : { queues }),
  }
}

/** Members, load, versions and lag. */
export const workersCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const report = (await reportOf(journal)) ?? { workers: [], queues: [], held: [] }
      if (report.workers.length === 0) note('no worker is up; start one with: mandate worker --dir postgres://…')
      print(flags, report, () => shown(report))
      return EXIT.ok
    }),
}

function shown({ workers, queues, held }: FleetReport): string {
  const parts = [
    table(
      workers.map(({ place, state, running, concurrency, version, queues: taken, minds }) => [
        place,
        state,
        `${running}/${concurrency}`,
        version,
        taken.join(','),
        clip(minds.join(' '), 60),
      ]),
    ),
    table(
      queues.map(({ name, queued, running, delayed, lagMs }) => [
        `queue ${name}`,
        `${queued} queued`,
        `${running} running`,
        `${delayed} delayed`,
        `lag ${lagMs} ms`,
      ]),
    ),
    table(held.map(({ run, reason }) => [run, 'waits for a worker', clip(reason, 120)])),
  ]
  return parts.filter((part) => part !== '').join('\n')
}
