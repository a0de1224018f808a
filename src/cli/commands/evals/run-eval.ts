import { join, relative } from 'node:path'
import { kernelOf } from '../../../agent/index.ts'
import type { AgentConfig, AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import { baselineOf, benchmark, evalFromRun, evaluate, listEvals, readEval } from '../../../evals/index.ts'
import type { EvalOptions, EvalReport, EvalSuite } from '../../../evals/index.ts'
import { EXIT, exitCodeOfSignal } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withRun, withService } from '../../host.ts'
import type { Meant } from '../../host.ts'
import { untilStopped } from '../../interrupt.ts'
import { printList } from '../../terminal/layout.ts'
import { note, paint, print, printLine } from '../../output.ts'
import { ownCommand } from '../../help/own-command.ts'
import { loadHost } from '../../program-files.ts'
import { chooseWord, readCount } from '../command.ts'
import { readLimit } from '../run-list.ts'
import { baselinePath, findEvalAgent, loadSuite, readBaseline, writeJson } from './eval-files.ts'
import { EVAL_HEADS, attemptText, benchmarkText, evalRow, reportText } from './eval-text.ts'

const EVALS = 20
const QUIET = { quiet: true }
const LOOKING = { quiet: true, onlyReads: true }

/** Runs the eval of a file. */
export async function evaluateFile(flags: Flags, file: string): Promise<number> {
  if (flags.bench && (flags.updateBaseline || flags.baseline !== undefined))
    throw new MandateError(
      'INPUT_INVALID',
      '--bench compares the variants of an eval with each other, not with a baseline. Leave out either it or the options of the baseline.',
    )
  const suite = await loadSuite(file)
  const found = await findEvalAgent(suite, file, flags)
  const baseline = flags.bench ? undefined : readBaseline(flags, file)
  const work = async (service: AgentService): Promise<number> => {
    const agent = found.agent ?? (await service.health()).agents[0]
    let code: number = EXIT.failed
    const { signal } = await untilStopped(async (stop) => {
      const options: EvalOptions = {
        ...{ service, baseline, signal: stop },
        ...optionsFrom(flags),
        onAttempt: (attempt) => {
          if (flags.jsonl) printLine(attempt)
          else note(paint(attempt.passed ? 'dim' : 'yellow', attemptText(attempt)))
        },
      }
      code = flags.bench
        ? await compare(flags, { ...suite, agent: configOf(agent, found.loaded.agents) }, options)
        : await once(flags, file, { ...suite, agent }, options)
    })
    return signal === undefined ? code : exitCodeOfSignal(signal)
  }
  return withService(flags, found.loaded, work, QUIET)
}

const MODES = ['record', 'replay', 'live'] as const

function optionsFrom({
  repeat,
  concurrency,
  tag,
  cassette,
}: Flags): Pick<EvalOptions, 'repeat' | 'concurrency' | 'tags' | 'mode'> {
  return {
    ...(repeat === undefined ? {} : { repeat: readCount(repeat, '--repeat') }),
    ...(concurrency === undefined ? {} : { concurrency: readCount(concurrency, '--concurrency') }),
    ...(tag === undefined ? {} : { tags: tag.split(',').map((one) => one.trim()) }),
    ...(cassette === undefined ? {} : { mode: chooseWord(cassette, MODES, '--cassette') }),
  }
}

async function once(flags: Flags, file: string, suite: EvalSuite, options: EvalOptions): Promise<number> {
  const report = await evaluate(suite, options)
  showReport(flags, report)
  if (flags.updateBaseline && report.left === 0) {
    const path = baselinePath(flags, file)
    // Tasks excluded by --tag keep their results in the baseline.
    const kept = flags.tag === undefined ? {} : options.baseline?.tasks
    const written = baselineOf(report)
    writeJson(path, { ...written, tasks: { ...kept, ...written.tasks } })
    note(`baseline written: ${path}`)
    return EXIT.ok
  }
  return report.ok ? EXIT.ok : EXIT.failed
}

async function compare(flags: Flags, suite: EvalSuite, { baseline: _none, ...options }: EvalOptions): Promise<number> {
  const report = await benchmark(suite, options)
  if (flags.jsonl) printLine(report)
  else print(flags, report, () => benchmarkText(report))
  return EXIT.ok
}

function showReport(flags: Flags, report: EvalReport): void {
  print(flags, report, () => reportText(report))
}

/** Replaces the id of an agent by its configuration, which variants change. */
function configOf(agent: EvalSuite['agent'], agents: readonly AgentConfig[] = []): EvalSuite['agent'] {
  if (typeof agent !== 'string') return agent
  return agents.find(({ id, name }) => (id ?? name) === agent) ?? agent
}

/** Writes a regression eval: the task, and a cassette with the recorded results of models and tools. */
export async function fromRun(flags: Flags, typed: string): Promise<number> {
  const folder = flags.out ?? 'evals'
  const make = async (service: AgentService, { run: runId }: Meant): Promise<number> => {
    const { suite, source } = await evalFromRun(service, runId, join(folder, 'cassettes'))
    const path = join(folder, `${runId}.eval.json`)
    const place = source === undefined ? suite.agent : `${withDot(relative(folder, source))}#${suite.agent}`
    const written = { ...suite, agent: place, cassettes: 'cassettes' }
    writeJson(path, written)
    print(flags, { path, suite: written }, () => `${path}\nrun it: ${ownCommand()} eval ${path}`)
    return EXIT.ok
  }
  return withRun({ ...flags, noInput: true }, typed, make, QUIET)
}

function withDot(path: string): string {
  const slashed = path.replaceAll('\\', '/')
  return slashed.startsWith('.') ? slashed : `./${slashed}`
}

/** Lists stored reports. */
export async function listReports(flags: Flags): Promise<number> {
  const work = async (service: AgentService): Promise<number> => {
    const evals = await listEvals(service, { limit: readLimit(flags.limit, EVALS) })
    const now = kernelOf(service).clock.now()
    printList(flags, evals, {
      heads: EVAL_HEADS,
      row: (one) => evalRow(one, now),
      none: 'No reports are stored here. Create one with: mandate eval <file>',
    })
    return EXIT.ok
  }
  return withService(flags, await loadHost(flags.file), work, LOOKING)
}

async function newestEval(service: AgentService): Promise<string> {
  const [newest] = await listEvals(service, { limit: 1 })
  if (newest !== undefined) return newest.id
  throw new MandateError('NOT_FOUND', 'No reports are stored here. Create one with: mandate eval <file>')
}

/** Shows a stored report. */
export async function showKept(flags: Flags, id: string): Promise<number> {
  const work = async (service: AgentService): Promise<number> => {
    showReport(flags, await readEval(service, id === 'last' ? await newestEval(service) : id))
    return EXIT.ok
  }
  return withService(flags, await loadHost(flags.file), work, LOOKING)
}
