import { kernelOf } from '../agent/index.ts'
import type { AgentResult, AgentService } from '../agent/index.ts'
import { errorInfo, newId, toPlain } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { CassetteMode } from '../model/index.ts'
import { useStandIns } from '../run/index.ts'
import type { StandIns } from '../run/index.ts'
import { standInsFrom } from './cassettes.ts'
import type { OpenCassette } from './cassettes.ts'
import type { Attempted, CheckResult, Judge } from './check.ts'
import { judgeOf } from './judge.ts'
import type { EvalAttempt, MeasuredAttempt } from './report.ts'
import { runFigures } from './run-figures.ts'
import type { RunFigures } from './run-figures.ts'
import type { EvalSuite, ReadyTask } from './suite.ts'

/** What all attempts of an eval share. */
export interface Bench {
  readonly suite: EvalSuite
  readonly service: AgentService
  readonly agentId: string
  readonly judgeId: string | undefined
  readonly evalId: string
  readonly open: OpenCassette | undefined
  readonly signal?: AbortSignal | undefined
}

/** An attempt, with the mode of its cassette. */
export interface AttemptMade extends MeasuredAttempt {
  readonly mode: CassetteMode
  /** Ids of the runs in which a model judged. */
  readonly judged: readonly string[]
}

/** Maximum number of approval rounds per attempt. */
const APPROVAL_ROUNDS = 100
const ANSWER_LENGTH = 400

/** Makes one attempt at a task: a run of its own, in a session of its own. */
export async function makeAttempt(bench: Bench, task: ReadyTask, attempt: number): Promise<AttemptMade> {
  const { service, open, evalId } = bench
  const { clock, random, registry } = kernelOf(service)
  const run = newId('run', clock, random)
  const tape = open?.(`${task.id}-${attempt}`)
  const standIns = tape && standInsFrom(tape)
  const release = standIns && useStandIns(registry, run, standIns)
  const began = clock.now()
  const ended = await runTask(bench, task, { run, sessionId: sessionOf(evalId, `${task.id}.${attempt}`, run) })
  release?.()
  const figures = 'refused' in ended ? undefined : await runFigures(service.journal, run)
  const seen = attempted({ task, attempt, run, ended, figures, durationMs: clock.now() - began })
  const judge = bench.judgeId === undefined ? undefined : judgeIn(bench, bench.judgeId, standIns)
  const checks = [...(await checkAll(task, seen, judge)), ...(await missesOf(tape))]
  return {
    mode: tape?.mode ?? 'live',
    figures,
    judged: checks.flatMap((check) => (check.run === undefined ? [] : [check.run])),
    attempt: attemptOf(seen, checks),
  }
}

const ID_LENGTH = 128

/**
 * Attempts must not share a session and its memory. A name that is too long is replaced by the run id, because a truncated name may lose the attempt number.
 */
function sessionOf(evalId: string, name: string, run: string): string {
  const session = `${evalId}.${name}`
  return session.length > ID_LENGTH ? `${evalId}.${run}` : session
}

function judgeIn({ service, signal }: Bench, judgeId: string, standIns: StandIns | undefined): Judge {
  return judgeOf({ service, judgeId, standIns, signal })
}

/** The result of a run, or why it could not start. */
type Ended = AgentResult<Json> | { readonly refused: { readonly code: string; readonly message: string } }

interface Place {
  readonly run: string
  readonly sessionId: string
}

async function runTask({ suite, service, agentId, signal }: Bench, task: ReadyTask, place: Place): Promise<Ended> {
  const { budget, approvals } = suite
  const { run: runId, sessionId } = place
  try {
    let result = await service.run(agentId, task.input, {
      runId,
      sessionId,
      budget,
      signal,
      context: task.context,
    })
    const rounds = approvals === undefined ? 0 : APPROVAL_ROUNDS
    for (let round = 0; round < rounds; round++) {
      const asked = result.pending.filter(({ reason, approvalId }) => reason === 'approval' && approvalId !== undefined)
      if (result.status !== 'await_user' || asked.length === 0) break
      for (const { approvalId } of asked) await answer(service, approvalId!, approvals!)
      result = await service.resume(runId, { signal })
    }
    return result
  } catch (error) {
    const { code, message } = errorInfo(error)
    return { refused: { code, message } }
  }
}

async function answer(service: AgentService, id: string, approvals: 'approve' | 'reject'): Promise<void> {
  if (approvals === 'approve') await service.approve(id, { reason: 'approvals: approve of the eval' })
  else await service.reject(id, 'approvals: reject of the eval')
}

interface Seen {
  readonly task: ReadyTask
  readonly attempt: number
  readonly run: string
  readonly ended: Ended
  readonly figures: RunFigures | undefined
  readonly durationMs: number
}

/** Collects the fields of an attempt that checks read. */
function attempted({ task, attempt, run, ended, figures, durationMs }: Seen): Attempted {
  const base = {
    task: task.id,
    attempt,
    run,
    input: toPlain(task.input).value,
    expected: task.expected ?? null,
    durationMs,
  }
  const { inputTokens = 0, outputTokens = 0, cost } = figures ?? {}
  const calls = [...(figures?.tools.values() ?? [])]
  const measured = {
    steps: figures?.steps ?? 0,
    toolErrors: calls.reduce((sum, { errors }) => sum + errors, 0),
    tokens: inputTokens + outputTokens,
    cost: cost ?? null,
  }
  if ('refused' in ended) {
    const nothing = { result: null, text: '', lastText: '', tools: [], actions: [] }
    return { ...base, ...measured, ...nothing, status: 'refused', error: ended.refused }
  }
  const { status, result, text, lastText, error } = ended
  const actions = ended.actions
    .filter(({ performed }) => performed)
    .map(({ toolId, input, output, ok }) => ({ name: toolId, input, output, ok }))
  return {
    ...base,
    ...measured,
    ...{ status, result, text, lastText, actions },
    tools: actions.map(({ name }) => name),
    error: error === undefined ? null : { code: error.code, message: error.message },
  }
}

async function checkAll(
  { checks }: ReadyTask,
  seen: Attempted,
  judge: Judge | undefined,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  // One after the other: a function may depend on what an earlier one has established.
  for (const check of checks) results.push(await check.check(seen, judge))
  return results
}

/** A call that was not recorded fails the attempt, even if the agent recovered from it. */
async function missesOf(tape: ReturnType<OpenCassette> | undefined): Promise<readonly CheckResult[]> {
  const { misses = [] } = (await tape?.close()) ?? {}
  const [first] = misses
  return first === undefined ? [] : [{ name: 'cassette', passed: false, score: 0, reason: first }]
}

function attemptOf(seen: Attempted, checks: readonly CheckResult[]): EvalAttempt {
  const { task, attempt, run, steps, tools, toolErrors, tokens, cost, durationMs, error } = seen
  const whole = seen.result === null || typeof seen.result === 'string' ? seen.text : JSON.stringify(seen.result)
  return {
    ...{ task, attempt, run },
    status: seen.status as EvalAttempt['status'],
    passed: checks.every((check) => check.passed),
    score: checks.reduce((sum, { score }) => sum + score, 0) / checks.length,
    checks,
    answer: whole.length > ANSWER_LENGTH ? `${whole.slice(0, ANSWER_LENGTH)}…` : whole,
    ...{ steps, toolCalls: tools.length, toolErrors, tokens, durationMs },
    ...(cost === null ? {} : { cost }),
    ...(error === null ? {} : { error }),
  }
}
