import type { AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import { graphReviews } from '../../../graph/index.ts'
import type { GraphReview } from '../../../graph/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { oneGraph } from '../../graph-files.ts'
import { withService } from '../../host.ts'
import { hanging, printList } from '../../terminal/layout.ts'
import { clip, note, print } from '../../output.ts'
import { loadHost } from '../../program-files.ts'
import { chooseAction, need } from '../command.ts'
import { hint } from '../../help/own-command.ts'

const USAGE =
  'graph review request <file> | list | show <review> | approve <review> | reject <review> [reason] | register <file> <token> | revoke <review> [reason]'

/** Requests, shows and decides reviews of generated graphs. */
export async function reviewGraphCommand(flags: Flags, words: readonly string[]): Promise<number> {
  const work = chooseAction(ACTIONS, { command: 'graph review', usage: USAGE }, words)
  return withService(
    { ...flags, noInput: true },
    await loadHost(flags.file),
    (service) => work(flags, service, words.slice(1)),
    { onlyReads: work === list || work === show },
  )
}

type Action = (flags: Flags, service: AgentService, words: readonly string[]) => Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = { request, list, show, approve, reject, register, revoke }

async function request(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const blueprint = oneGraph(need(words, 0, USAGE))
  const review = await graphReviews(service).request(
    blueprint,
    flags.reason === undefined ? {} : { reason: flags.reason },
  )
  print(flags, review, () => review.id)
  if (review.state === 'waiting') hint(`waiting: mandate graph review approve ${review.id}   (or: reject)`)
  return review.state === 'rejected' ? EXIT.denied : EXIT.ok
}

async function list(flags: Flags, service: AgentService): Promise<number> {
  const reviews = await graphReviews(service).list({ all: flags.all })
  printList(flags, reviews, {
    heads: ['review', 'state', 'graph', 'by', 'risk'],
    row: ({ id, state, graph, requestedBy, reach }) => [id, state, graph, requestedBy.id, `risk ${reach.risk}`],
    none: 'No review waits. Request one with: mandate graph review request <file>',
  })
  return EXIT.ok
}

async function show(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const review = await graphReviews(service).read(need(words, 0, USAGE))
  print(flags, review, () => shown(review))
  return EXIT.ok
}

async function approve(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const id = need(words, 0, USAGE)
  const { approvalId } = await graphReviews(service).read(id)
  await service.approve(waiting(id, approvalId), flags.reason === undefined ? {} : { reason: flags.reason })
  const review = await graphReviews(service).read(id)
  print(flags, review, () => review.token ?? '')
  hint(`approved; register it with: mandate graph review register <file> ${review.token ?? '<token>'}`)
  return EXIT.ok
}

async function reject(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const id = need(words, 0, USAGE)
  const { approvalId } = await graphReviews(service).read(id)
  await service.reject(waiting(id, approvalId), words.slice(1).join(' ') || flags.reason)
  const review = await graphReviews(service).read(id)
  print(flags, review, () => `${id} rejected`)
  return EXIT.ok
}

function waiting(id: string, approvalId: string | undefined): string {
  if (approvalId !== undefined) return approvalId
  throw new MandateError(
    'APPROVAL_STALE',
    `The review "${id}" was answered already. See it with: mandate graph review show ${id}`,
  )
}

async function register(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const blueprint = oneGraph(need(words, 0, USAGE))
  const review = await graphReviews(service).register(blueprint, need(words, 1, USAGE))
  print(flags, review, () => `${review.graph} is registered; run it with: mandate graph run ${review.graph}`)
  return EXIT.ok
}

async function revoke(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const id = need(words, 0, USAGE)
  await graphReviews(service).revoke(id, words.slice(1).join(' ') || undefined)
  print(flags, { id, revoked: true }, () => '')
  note(`${id} is revoked`)
  return EXIT.ok
}

function shown({
  id,
  state,
  graph,
  hash,
  origin,
  requestedBy,
  reviewedBy,
  reason,
  reach,
  changes,
  source,
}: GraphReview): string {
  const names = (all: readonly string[]): string => all.join(', ') || 'none'
  const rows = [
    ['review', id],
    ['state', `${state}${reviewedBy === undefined ? '' : ` by ${reviewedBy.id}`}`],
    ['graph', `${graph} ${hash.slice(0, 12)} (${origin})`],
    ['requested by', `${requestedBy.id}${reason === null ? '' : `: ${clip(reason)}`}`],
    ['risk', reach.risk],
    ['effects', names(reach.effects)],
    ['tools', names(reach.tools.map(({ name, risk, asks }) => `${name} (${risk}${asks ? ', asks' : ''})`))],
    ['sinks', names(reach.sinks)],
    ['models', names(reach.models)],
    ['agents', names(reach.agents)],
    ['graphs', names(reach.graphs)],
    ['programs', names(reach.programs)],
  ]
  const facts = rows.map(([name, value]) => hanging(name!.padEnd(14), value!)).join('\n')
  return `${facts}\n\n${changes === null ? 'No graph of that name is registered.' : changes}\n\n${source.trimEnd()}`
}
