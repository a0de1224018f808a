import { existsSync } from 'node:fs'
import { kernelOf, resultJson } from '../../agent/index.ts'
import { readAttachments } from '../attachments.ts'
import type { AgentResult, AgentRun, AgentService, RunOptions } from '../../agent/index.ts'
import { MandateError, isRecord } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { MindKind, RunPriority } from '../../journal/index.ts'
import type { ForkOptions } from '../../run/index.ts'
import { EXIT, exitCodeOfResult, exitCodeOfSignal } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { settings, withRun, withService } from '../host.ts'
import { withInstructions } from '../instructions.ts'
import { findConfig, loadService } from '../load-module.ts'
import type { Loaded } from '../load-module.ts'
import { untilInterrupted } from '../interrupt.ts'
import { packSource } from '../packs/pack-source.ts'
import { isProgramFile } from '../program-files.ts'
import { count, endStream, hasStreamed, note, print, printAnswer } from '../output.ts'
import { showResult } from '../progress.ts'
import type { OpenedJournal } from '../store.ts'
import { detachingEngine, noticing, withFleet } from '../workers/store-workers.ts'
import { need, readBudget, readJson, readNumber } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'
import { finishProgram, finishRun, runProgramFile } from './programs.ts'
import { hint } from '../help/own-command.ts'

export const runCommand: Command = {
  async run(flags, words) {
    const withPacks = flags.packs.length > 0
    const first = need(words, 0, withPacks ? 'run --pack <name> <prompt>' : usageOf('run'))
    if (!withPacks && isProgramFile(first)) {
      if (flags.context === undefined) return runProgramFile(flags, words)
      throw new MandateError('INPUT_INVALID', '--context belongs to agents in code mode. Pass data with --input.')
    }
    if (flags.detach && flags.context !== undefined)
      throw new MandateError(
        'INPUT_INVALID',
        'Workers cannot read a file of this machine. Leave out --context or --detach.',
      )
    const found: Found = withPacks ? await loadService(packSourceOf(flags)) : await findAgent(first)
    const { loaded, source, agent } = found
    const files = await readAttachments(flags.files)
    let taken: Promise<void> | undefined
    const work = async (service: AgentService, journal: OpenedJournal): Promise<number> => {
      const agentId = agent ?? (await service.health()).agents[0]
      if (agentId === undefined) throw new MandateError('CONFIG_INVALID', `${source} exports no agent.`)
      const prompt = (withPacks ? words : words.slice(1)).join(' ') || undefined
      const run = service.run(agentId, prompt, {
        source,
        ...(await givenContext(flags, service, { loaded, agentId })),
        ...(files.length === 0 ? {} : { files }),
        // With packs, the model belongs to the agent itself.
        ...(withPacks || flags.model === undefined ? {} : { model: flags.model }),
        durability: settings().durability,
        priority: flags.priority as RunPriority | undefined,
        budget: readBudget(flags.budget),
      })
      if (taken !== undefined) return handOver(flags, journal, { run, taken })
      return finish(flags, service, { runId: run.id, result: run })
    }
    return withService(flags, flags.agentsMd ? withInstructions(loaded) : loaded, work, {
      texts: true,
      engine: async (journal) => {
        if (!flags.detach) return undefined
        const handing = noticing(await detachingEngine(journal, source))
        if (flags.priority !== undefined && handing.engine.name === 'restate')
          note('workers on Restate take runs as they come: --priority changes nothing')
        taken = handing.taken
        return handing.engine
      },
      shared: flags.detach,
    })
  },
}

/** The file of --context, opened for a run of an agent. */
async function givenContext(
  { context }: Flags,
  service: AgentService,
  { loaded, agentId }: { readonly loaded: Loaded; readonly agentId: string },
): Promise<RunOptions> {
  if (context === undefined) return {}
  const { mode = 'tools' } = loaded.agents?.find(({ id }) => id === agentId) ?? {}
  if (mode === 'tools')
    throw new MandateError(
      'INPUT_INVALID',
      `Agent "${agentId}" is not in code mode: it cannot read a context in parts. Set \`mode: 'code'\`, or attach a document with --file.`,
    )
  // Cells are loaded only by those who evaluate some.
  const { contextForRun } = await import('../context-file.ts')
  return contextForRun(service, context)
}

/** Opens the file of --context for a run that this process continues. */
async function continuedContext({ context }: Flags, service: AgentService, run: string): Promise<void> {
  const start = await readStart(kernelOf(service).journal, run)
  const given = isRecord(start?.input) ? start.input['context'] : undefined
  if (start === undefined || (context === undefined && !isRecord(given))) return
  const { reopenContext } = await import('../context-file.ts')
  await reopenContext(service, { run, sessionId: start.sessionId, given, path: context })
}

/** Returns the pack source for --pack and for --model or MANDATE_MODEL in the current folder. */
export function packSourceOf({ packs, model = settings().model }: Flags): string {
  if (model === undefined)
    throw new MandateError(
      'INPUT_INVALID',
      'Set the model: --model <provider/model>, or MANDATE_MODEL, such as openai/gpt-5-mini (with OPENAI_API_KEY and the package @ai-sdk/openai).',
    )
  return packSource({ packs, model, root: process.cwd() })
}

/** A loaded service with its source and the selected agent; the first agent if none was named. */
export type Found = Awaited<ReturnType<typeof loadService>> & { readonly agent?: string }

interface Handing {
  readonly run: AgentRun<Json>
  readonly taken: Promise<void>
}

/** Waits until the store and the engine have accepted the run, and leaves it to the workers. */
async function handOver(flags: Flags, journal: OpenedJournal, { run, taken }: Handing): Promise<number> {
  const refused = run.then(
    () => undefined,
    (error: unknown) => Promise.reject(error),
  )
  refused.catch(() => {})
  await Promise.race([refused, taken])
  if (!(await withFleet(journal, (fleet) => fleet.isUp())))
    hint('no worker is running; start one to drive the run: mandate worker --dir postgres://…')
  print(flags, { runId: run.id }, () => run.id)
  return EXIT.ok
}

/** Finds an agent: a path refers to a file, any other word to an agent of the project's configuration. */
export async function findAgent(word: string): Promise<Found> {
  const config = findConfig()
  if (existsSync(word) || /[./\\]/.test(word) || config === undefined) return loadService(word)
  return { ...(await loadService(config)), agent: word }
}

export const resumeCommand: Command = {
  run(flags, words) {
    return withRun(flags, need(words, 0, usageOf('resume')), async (service, { run, kind }) => {
      await continuedContext(flags, service, run)
      return drive(flags, service, { runId: run, kind, budget: readBudget(flags.budget) })
    })
  },
}

export const forkCommand: Command = {
  run(flags, words) {
    return withRun(flags, need(words, 0, usageOf('fork')), async (service, { run, kind }) => {
      const fork = await service.fork(run, forkOptions(flags))
      await continuedContext(flags, service, fork)
      note(`forked ${run} as ${fork}`)
      return drive(flags, service, { runId: fork, kind })
    })
  },
}

function forkOptions({ at, input, key, value, budget }: Flags): ForkOptions {
  const limits = budget === undefined ? {} : { budget: readBudget(budget) }
  if ([at, input, key].filter((one) => one !== undefined).length > 1)
    throw new MandateError('INPUT_INVALID', 'A fork begins at one point. Give one of --at, --input and --key.')
  if ((key === undefined) !== (value === undefined))
    throw new MandateError(
      'INPUT_INVALID',
      '--key and --value go together: the effect, and the result that it has instead.',
    )
  if (input !== undefined) return { ...limits, edit: { input: readJson(input, '--input') } }
  if (key !== undefined) return { ...limits, edit: { key, value: readJson(value!, '--value') } }
  return at === undefined ? limits : { ...limits, at: readNumber(at, '--at') }
}

export const replayCommand: Command = {
  run(flags, words) {
    return withRun(flags, need(words, 0, usageOf('replay')), async (service, { run }) => {
      const report = await service.replay(run)
      const { difference } = report
      print(flags, report, () =>
        report.identical
          ? `identical: ${count(report.effects, 'effect')}, ${count(report.entries, 'entry', 'entries')}${report.complete ? '' : ' (the run has not ended)'}`
          : `diverged at ${difference?.key}\n  recorded: ${difference?.recorded}\n  replayed: ${difference?.replayed}`,
      )
      return report.identical ? EXIT.ok : EXIT.diverged
    })
  },
}

interface Driving {
  readonly runId: string
  readonly kind: MindKind
  readonly budget?: BudgetLimits | undefined
}

/** Resumes a run and shows its result according to the kind of its mind. */
function drive(flags: Flags, service: AgentService, { runId, kind, budget }: Driving): Promise<number> {
  if (kind === 'agent') return finish(flags, service, { runId, result: service.resume(runId, { budget }) })
  const driven = { runId, result: kernelOf(service).resume(runId, { budget }) }
  return kind === 'program' ? finishProgram(flags, service, driven) : finishRun(flags, service, driven)
}

interface Driven {
  readonly runId: string
  readonly result: Promise<AgentResult<Json>>
}

async function finish(flags: Flags, service: AgentService, { runId, result }: Driven): Promise<number> {
  const { ended, signal } = await untilInterrupted(service, runId, result)
  endStream()
  if (!flags.jsonl) printAnswer(flags, resultJson(ended), () => (isShown(ended) ? '' : answerOf(ended)))
  showResult(ended)
  return signal !== undefined && ended.status === 'await_user' ? exitCodeOfSignal(signal) : exitCodeOfResult(ended)
}

/** Whether the answer was already shown as streamed text. */
function isShown({ result, text, lastText }: AgentResult<Json>): boolean {
  const answer: Json = result ?? text
  return hasStreamed() && (answer === text || answer === lastText)
}

function answerOf({ result, text }: AgentResult<Json>): string {
  const value: Json = result ?? text
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
