import { MandateError, checkFields, messageOf } from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
import { approvalId, coversByRule, may } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import { STANDING_NOTE, checkIdentity } from '../../journal/index.ts'
import type { Identity, MindKind, StandingNote } from '../../journal/index.ts'
import type { Request } from '../effect/perform.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { checkAuthority, mandatesOver } from './authority.ts'
import { bindingOf } from './rule-scope.ts'
import type { StandingRecord } from './standing-journal.ts'

/** An approval with the scope `rule`: what it covers, who gave it, and until when it holds. */
export interface RuleApproval {
  /** The id of the request that was answered: revoke it by this. */
  readonly id: string
  /** `active`: lifts an `ask` as long as mandates, tool and mind are those it was given for. `unproven`: lacks the signature that this host requires. */
  readonly state: 'active' | 'expired' | 'revoked' | 'unproven'
  readonly tool: string
  /** The rules whose `ask` it lifts, each prefixed with the number of its mandate, nearest first. */
  readonly rules: readonly string[]
  /** Kind and name of the mind: `agent/clerk`. */
  readonly mind: string
  /** Members that the input must have, with exactly these values; absent means any input. */
  readonly input?: { readonly [name: string]: Json } | undefined
  readonly riskMax: string
  readonly by: Identity
  readonly reason?: string | undefined
  /** The run in which it was given. */
  readonly run: string
  readonly givenAt: number
  readonly expiresAt: number
  readonly revoked?: { readonly at: number; readonly by: Identity; readonly reason?: string | undefined } | undefined
}

/** Which standing approvals to list. */
export interface RuleApprovalFilter {
  /** Includes those that have expired, were revoked or are unproven. */
  readonly all?: boolean | undefined
}

const RULE_APPROVAL_FILTER: FieldNames<RuleApprovalFilter> = { all: 'flag' }

/** The approval of another call that lifts this `ask`, if there is one. Approvals given in this run with the scope `rule` are published first. */
export async function findRuleApproval(request: Request, decision: GateDecision): Promise<StandingNote | undefined> {
  const { run, effect } = request
  const binding = bindingOf(request, decision)
  if (binding === undefined) return undefined
  await publish(run)
  const call = { effect: { ...effect, input: decision.input }, risk: decision.risk, binding }
  const now = run.host.clock.now()
  const records = await run.host.standing.readForGate()
  return records.find((record) => isInForce(record, run) && coversByRule(record.note.response.standing!, call, now))
    ?.note
}

function isInForce({ note, isBelieved, revoked }: StandingRecord, run: ActiveRun): boolean {
  return isBelieved && revoked === undefined && may(note.response.by, 'approve', run.mandates)
}

/** Copies approvals with the scope `rule` from this run to the service's journal. One that cannot be copied approves its own call only. */
async function publish(run: ActiveRun): Promise<void> {
  for (const { seq, data, response } of run.fold.approvals.values()) {
    if (response?.answer !== 'approve' || response.standing?.bound === undefined) continue
    try {
      await run.host.standing.add({ id: approvalId(run.id, seq), run: run.id, hash: data.hash, response })
    } catch (error) {
      run.emit('handler-error', { where: 'standing approval', message: messageOf(error) })
    }
  }
}

/** Copies the approval under which a call is made into the run's journal, so that the journal can be verified by itself. */
export function cite(run: ActiveRun, note: StandingNote): void {
  const cited = (run.cited ??= new Set())
  if (cited.has(note.id)) return
  cited.add(note.id)
  run.writer.add('note', undefined, { name: STANDING_NOTE, value: note as unknown as Json })
}

/** Lists standing approvals, newest first. Requires the permission to approve or to read journals. */
export async function listRuleApprovals(
  host: KernelHost,
  filter: RuleApprovalFilter,
  by: Identity | undefined,
): Promise<readonly RuleApproval[]> {
  checkFields(filter, 'a filter of standing approvals', RULE_APPROVAL_FILTER, 'INPUT_INVALID')
  if (by !== undefined) checkIdentity(by, '`by`')
  if (by !== undefined && !may(by, 'approve', mandatesOver(host))) checkAuthority(host, by, 'read-journal')
  const now = host.clock.now()
  const found = (await host.standing.read()).map((record) => shownAs(record, now)).toReversed()
  return filter.all === true ? found : found.filter(({ state }) => state === 'active')
}

/** Revokes a standing approval. Requires the permission to approve, also under the mandate of the mind that it was given for. */
export async function revokeRuleApproval(
  host: KernelHost,
  { id, reason, by }: { readonly id: string; readonly reason?: string | undefined; readonly by: Identity },
): Promise<void> {
  checkIdentity(by, '`by`')
  const found = (await host.standing.read()).find(({ note }) => note.id === id)
  if (found === undefined) {
    checkAuthority(host, by, 'approve')
    throw new MandateError(
      'NOT_FOUND',
      `There is no standing approval "${id}". List them with: mandate approvals --all`,
    )
  }
  const { mind } = found.note.response.standing!.bound!
  const slash = mind.indexOf('/')
  checkAuthority(host, by, 'approve', { mind: mind.slice(0, slash) as MindKind, name: mind.slice(slash + 1) })
  await host.standing.revoke({ id, by: { id: by.id, roles: by.roles }, ...(reason === undefined ? {} : { reason }) })
}

function shownAs({ note, at, isBelieved, revoked }: StandingRecord, now: number): RuleApproval {
  const { id, run, response } = note
  const { tool, input, riskMax, expiresAt, bound } = response.standing!
  const state = revoked !== undefined ? 'revoked' : !isBelieved ? 'unproven' : now < expiresAt ? 'active' : 'expired'
  return {
    ...{ id, state, tool, rules: bound!.rules, mind: bound!.mind, riskMax, by: response.by, run },
    ...(input === undefined ? {} : { input }),
    ...(response.text === undefined ? {} : { reason: response.text }),
    ...{ givenAt: at, expiresAt },
    ...(revoked === undefined
      ? {}
      : {
          revoked: {
            at: revoked.at,
            by: revoked.note.by,
            ...(revoked.note.reason === undefined ? {} : { reason: revoked.note.reason }),
          },
        }),
  }
}
