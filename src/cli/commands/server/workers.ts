import type { AgentService } from '../../../agent/index.ts'
import { MandateError, systemClock } from '../../../core/index.ts'
import { engineSettings } from '../../../engine/index.ts'
import type { DbosEngineOptions, FleetReport } from '../../../engine/index.ts'
import type { Taking } from '../../workers/store-workers.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withJournal, withService } from '../../host.ts'
import { untilStopped } from '../../interrupt.ts'
import { findConfig, importModule, loadService } from '../../load-module.ts'
import { listing } from '../../terminal/layout.ts'
import { outageNotes } from '../../terminal/outage-notes.ts'
import { clip, count, note, print } from '../../output.ts'
import { readEngine, reportOf, takingEngine } from '../../workers/store-workers.ts'
import { readRestate, restateAnswers, restateTaker } from '../../workers/restate-place.ts'
import { readCount, readNumber } from '../command.ts'
import type { Command } from '../command.ts'
import { readPort } from './mcp.ts'
import { hint } from '../../help/own-command.ts'

/** Runs a worker until a stop signal. */
export const workerCommand: Command = {
  async run(flags, words) {
    const file = words[0] ?? flags.file ?? findConfig()
    if (file === undefined)
      throw new MandateError('INPUT_INVALID', 'There is no mandate.config.ts here. Give a file: mandate worker <file>')
    // DBOS uses a deprecated feature of `pg`; users cannot act on the warning.
    process.noDeprecation = true
    const taking = await takingOf(flags, file)
    const { loaded } = await loadService(file)
    return withService({ ...flags, noInput: true }, loaded, (service) => work(flags, service, taking), {
      quiet: !flags.jsonl,
      engine: (journal) => takingEngine(journal, taking),
      shared: true,
    })
  },
}

async function work(flags: Flags, service: AgentService, taking: Taking): Promise<number> {
  const look = async (): Promise<void> => {
    await service.journal.summary('*')
    if (taking.engine === 'restate') await restateAnswers(taking.place)
  }
  const what = taking.engine === 'restate' ? 'the store or Restate' : 'the store'
  const sayOutage = outageNotes({ clock: systemClock, note, what, look })
  service.events.on('engine-fault', ({ runId, data }) =>
    runId === '*' ? sayOutage(data.message) : note(`${runId}: ${data.message}`),
  )
  const { graphReviews } = await import('../../../graph/index.ts')
  for (const problem of (await graphReviews(service).restore()).problems) note(problem)
  await service.start()
  const { agents } = await service.health()
  const { signal } = await untilStopped(async (stop) => {
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
    // Printed inside `untilStopped`, so that a signal right after this line hands over runs too.
    print(flags, { state: 'up', pid: process.pid, agents }, () => `working: ${agents.join(', ')}`)
    await stopped
  })
  const { suspended, left } = await service.stop()
  if (signal !== undefined && suspended.length > 0) note(`handed over: ${count(suspended.length, 'run')}`)
  if (left.length > 0) note(`left to other workers: ${count(left.length, 'run')}`)
  return EXIT.ok
}

/** Checks arguments and configuration before the store is opened. */
async function takingOf(flags: Flags, file: string): Promise<Taking> {
  const { concurrency, deployment, drain } = flags
  const { queues, restate } = await importModule(file)
  const place = readRestate(restate)
  const engine = readEngine(flags.engine) ?? (place === undefined ? 'dbos' : 'restate')
  if (engine === 'local')
    throw new MandateError('INPUT_INVALID', 'A worker drives runs for others: --engine is dbos or restate.')
  const typed = {
    ...(concurrency === undefined ? {} : { concurrency: readCount(concurrency, '--concurrency') }),
    ...(drain === undefined ? {} : { drainMs: readNumber(drain, '--drain') * 1_000 }),
    ...(deployment === undefined ? {} : { version: deployment }),
  }
  if (engine === 'restate') return takingFromRestate(flags, { place: place ?? {}, typed, queues })
  if (flags.port !== undefined || flags.host !== undefined)
    throw new MandateError(
      'INPUT_INVALID',
      '--port and --host belong to --engine restate: runs of DBOS are taken from the database.',
    )
  const options = {
    ...typed,
    ...(flags.queues === undefined ? {} : { take: flags.queues.split(',').map((name) => name.trim()) }),
    ...(queues === undefined ? {} : { queues: queues as DbosEngineOptions['queues'] }),
  }
  engineSettings({ ...options, url: '' })
  return { engine, options }
}

type FromRestate = Extract<Taking, { readonly engine: 'restate' }>

/** Checks the options of a worker on Restate. Restate delivers runs to any worker, so queues cannot limit or separate them. */
function takingFromRestate(
  { queues: taken, port, host }: Flags,
  { place, typed, queues }: Omit<FromRestate, 'engine'> & { readonly queues: unknown },
): Taking {
  if (taken !== undefined || queues !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `Workers on Restate have no queues, so their limits would not hold. Leave out ${taken === undefined ? 'the export `queues`' : '--queues'}, or use --engine dbos.`,
    )
  const listening = {
    ...(port === undefined ? {} : { port: readPort(port) }),
    ...(host === undefined ? {} : { host }),
  }
  const taking = { engine: 'restate', place, typed: { ...typed, ...listening } } as const
  // Validates the options before the store is opened.
  restateTaker('postgres://localhost/none', place, taking.typed)
  return taking
}

/** Shows workers with their load and versions, and the lag of queues. */
export const workersCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const report = (await reportOf(journal)) ?? { workers: [], queues: [], held: [] }
      if (report.workers.length === 0) hint('no worker is running; start one with: mandate worker --dir postgres://…')
      print(flags, report, () => shown(report))
      return EXIT.ok
    }),
}

/** Part of the names of minds that the package gives to every worker; they are not listed. */
const OWN = '/mandate-'

function shown({ workers, queues, held }: FleetReport): string {
  const parts = [
    listing(
      ['worker', 'state', 'runs', 'version', 'queues', 'drives'],
      workers.map(({ place, state, running, concurrency, version, queues: taken, minds }) => [
        place,
        state,
        `${running}/${concurrency}`,
        version,
        taken.join(','),
        clip(minds.filter((mind) => !mind.includes(OWN)).join(' '), 60),
      ]),
    ),
    listing(
      ['queue', 'queued', 'running', 'delayed', 'lag'],
      queues.map(({ name, queued, running, delayed, lagMs }) => [
        `queue ${name}`,
        `${queued} queued`,
        `${running} running`,
        `${delayed} delayed`,
        `lag ${lagMs} ms`,
      ]),
    ),
    listing(
      ['run', 'state', 'why'],
      held.map(({ run, reason }) => [run, 'waits for a worker', clip(reason, 120)]),
    ),
  ]
  return parts.filter((part) => part !== '').join('\n')
}
