import { existsSync } from 'node:fs'
import { AgentService, kernelOf } from '../../agent/index.ts'
import { installedModels } from '../../connect/index.ts'
import { MandateError, systemClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { parseApprovalId } from '../../gate/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import type { ApprovalRequest, ApprovalResponse, Engine, KernelOptions } from '../../run/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { keysOf, trustedSource, withJournal, withRun } from '../host.ts'
import { loadService } from '../load-module.ts'
import { block, listing, moment, screenWidth } from '../terminal/layout.ts'
import { clip, note, print, table } from '../output.ts'
import { isPackSource } from '../packs/pack-source.ts'
import { typedAnswer } from '../terminal/typed-answer.ts'
import { typedApproval, typedRun } from '../typed-ids.ts'
import { answeringEngine, nextOf } from '../workers/store-workers.ts'
import { need, readJson, readMoment } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'
import { readLimit } from './run-list.ts'
import { hint } from '../help/own-command.ts'

/** An engine that drives nothing, for commands that only send signals to runs. */
export const nowhere: Engine = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}

/** Default number of items, which fits on a screen or two; a store may hold tens of thousands. */
const INBOX_MAX = 100

export const inboxCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const limit = readLimit(flags.limit, INBOX_MAX)
      const page = await new Kernel({ journal, engine: nowhere }).inbox({ limit })
      const now = systemClock.now()
      const since = await Promise.all(page.requests.map((request) => askedAt(journal, request)))
      print(flags, page.requests, () => inboxText(page.requests, (index) => moment(since[index]!, now)))
      if (page.requests.length === 0 && page.unreadable.length === 0) note('Nothing is waiting for an answer.')
      else if (screenWidth() !== undefined)
        hint('Answer with: mandate approve <approval>, mandate deny <approval> or mandate answer <approval> <value>')
      for (const { run, problem } of page.unreadable) note(`${run} is waiting too, but cannot be read: ${problem}`)
      if (page.next !== undefined) note(`There are more. See them with --limit ${limit * 10}`)
      return page.unreadable.length === 0 ? EXIT.ok : EXIT.store
    }),
}

/** Returns when the request was made. The entry has the time; the id of the request contains the number of the entry. */
async function askedAt(journal: Journal, { id, run }: ApprovalRequest): Promise<number> {
  const seq = parseApprovalId(id)?.seq
  const summary = await journal.summary(run)
  return summary?.waiting?.find((one) => one.seq === seq)?.at ?? summary?.updatedAt ?? systemClock.now()
}

/** Formats the inbox. On a terminal each item has a line with its id, its call in one line, and its complete text. In a pipe each item is one row. */
function inboxText(requests: readonly ApprovalRequest[], ageOf: (index: number) => string): string {
  const width = screenWidth()
  const rows = requests.map(({ id, reason }, index) => [id, reason, ageOf(index)])
  const calls = requests.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
  if (width === undefined)
    return table(rows.map((row, index) => [...row, `${calls[index]}  ${clip(requests[index]!.text, Infinity)}`]))
  const heads = listing(['approval', 'reason', 'asked'], rows).split('\n')
  return heads
    .flatMap((head, index) => {
      const request = requests[index - 1]
      if (request === undefined) return [head]
      return [head, `  ${clip(calls[index - 1], width - 2)}`, ...block(request.text, '  ')]
    })
    .join('\n')
}

export const approveCommand: Command = {
  async run(flags, words) {
    need(words, 0, usageOf('approve'))
    if (words.length > 1 && flags.edit !== undefined)
      throw new MandateError('INPUT_INVALID', '--edit applies to one call. Approve the calls one by one.')
    const response: ApprovalResponse = {
      answer: 'approve',
      ...(flags.scope === undefined ? {} : { scope: flags.scope as 'once' | 'run' | 'rule' }),
      ...(flags.edit === undefined ? {} : { edit: readJson(flags.edit, '--edit') }),
      ...(flags.reason === undefined ? {} : { text: flags.reason }),
      ...reachOf(flags),
    }
    const refused: unknown[] = []
    const answered: Answered[] = []
    for (const id of words)
      await respond(flags, id, response).then(
        (one) => answered.push(one),
        (error: unknown) => refused.push(error),
      )
    // A stale request does not prevent the other requests from being answered.
    if (refused.length > 0) throw refused[0]
    print(flags, answered, () => '')
    return EXIT.ok
  },
}

/** Reads the scope of an approval from the flags. */
function reachOf({ until, only }: Flags): Pick<ApprovalResponse, 'standing'> {
  if (until === undefined && only === undefined) return {}
  const input = only === undefined ? {} : { input: readJson(only, '--only') as { readonly [name: string]: Json } }
  return { standing: { ...input, ...(until === undefined ? {} : { expiresAt: readMoment(until, '--until') }) } }
}

export const denyCommand: Command = {
  run: (flags, words) =>
    respondOnce(flags, need(words, 0, usageOf('deny')), {
      answer: 'reject',
      text: words.slice(1).join(' ') || undefined,
    }),
}

const IN_DOUBT: readonly string[] = ['happened', 'not-happened', 'unknown']

export const answerCommand: Command = {
  run(flags, words) {
    const id = need(words, 0, usageOf('answer'))
    const first = need(words, 1, usageOf('answer'))
    if (!IN_DOUBT.includes(first)) return answerQuestion(flags, id, words.slice(1).join(' '))
    const value = words.slice(2).join(' ')
    return respondOnce(flags, id, {
      answer: first as ApprovalResponse['answer'],
      ...(value === '' ? {} : { value: readJson(value, 'The value') }),
    })
  },
}

/** Answers a question. If the question asks for more than text, the answer is JSON. */
async function answerQuestion(flags: Flags, id: string, text: string): Promise<number> {
  const request = await withJournal(flags, async (journal) => {
    const kernel = new Kernel({ journal, engine: nowhere })
    return kernel.request(await typedApproval(journal, id), { id: 'local', roles: ['owner'] })
  })
  return respondOnce(flags, id, { answer: 'answer', value: typedAnswer(request?.input ?? null, text) })
}

interface Answered {
  readonly id: string
  /** Whether the answer is new or was already given. */
  readonly status: string
}

async function respondOnce(flags: Flags, id: string, response: ApprovalResponse): Promise<number> {
  const answered = await respond(flags, id, response)
  print(flags, answered, () => '')
  return EXIT.ok
}

async function respond(flags: Flags, typed: string, response: ApprovalResponse): Promise<Answered> {
  return withJournal(flags, async (journal) => {
    const id = await typedApproval(journal, typed)
    const host = response.edit === undefined ? {} : await hostOf(flags, journal, parseApprovalId(id)?.run)
    const engine = await answeringEngine(journal)
    const kernel = new Kernel({ journal, engine: engine ?? nowhere, ...keysOf(flags), ...host })
    try {
      const { status } = await kernel.respond(id, response)
      const what = status === 'recorded' ? 'recorded' : 'already answered in the same way'
      const next = `continue with: mandate resume ${parseApprovalId(id)?.run.split('.')[0]}`
      hint(`${what}; ${engine === undefined ? next : await nextOf(journal)}`)
      return { id, status }
    } finally {
      await engine?.stop()
    }
  })
}

/**
 * Returns the vault, redactor and registry with which an edit is checked and sealed. They come from the file that the run was started from, if it is available.
 */
async function hostOf(
  flags: Flags,
  journal: Journal,
  run: string | undefined,
): Promise<Pick<KernelOptions, 'vault' | 'redactor' | 'registry'>> {
  const top = run?.split('.')[0]
  for await (const { data } of top === undefined ? [] : journal.read(top)) {
    const source = await trustedSource(journal, top!, (data ?? {}) as { readonly source?: string })
    const file = flags.file ?? source
    if (file === undefined || !(isPackSource(file) || existsSync(file))) return {}
    const { loaded } = await loadService(file)
    const { vault, redactor } = loaded
    const modelSources = loaded.modelSources ?? installedModels()
    const { registry } = kernelOf(new AgentService({ ...loaded, sinks: [], modelSources }))
    return { registry, ...(vault === undefined ? {} : { vault }), ...(redactor === undefined ? {} : { redactor }) }
  }
  return {}
}

/** How long to wait until the owner of the run reacts. */
const CANCEL_WAIT_MS = 10_000
const LOOK_EVERY_MS = 100

export const cancelCommand: Command = {
  run(flags, words) {
    return withRun(flags, need(words, 0, usageOf('cancel')), async (service, { run }) => {
      await service.cancel(run, words.slice(1).join(' ') || undefined)
      for (let waited = 0; waited < CANCEL_WAIT_MS; waited += LOOK_EVERY_MS) {
        const summary = await service.journal.summary(run)
        if (summary !== undefined && isEnded(summary.state)) {
          print(flags, summary, () => `${run} ${summary.state}`)
          return EXIT.ok
        }
        await new Promise((resolve) => kernelOf(service).clock.timer(LOOK_EVERY_MS, () => resolve(undefined)))
      }
      throw new MandateError(
        'TIMEOUT',
        `Run "${run}" has not ended within ${CANCEL_WAIT_MS / 1000} s. Its owner has been signalled; check again with: mandate show ${run}`,
      )
    })
  },
}

export const steerCommand: Command = {
  run(flags, words) {
    const typed = need(words, 0, usageOf('steer'))
    const text = [need(words, 1, usageOf('steer')), ...words.slice(2)].join(' ')
    return withJournal(flags, async (journal) => {
      const run = await typedRun(journal, typed)
      await new Kernel({ journal, engine: nowhere, ...keysOf(flags) }).steer(run, text)
      print(flags, { run, state: (await journal.summary(run))?.state }, () => `${run} reads it at its next turn`)
      return EXIT.ok
    })
  },
}
