import { evaluationService, kernelOf } from '../agent/index.ts'
import type { AgentInput, AgentResult, AgentService } from '../agent/index.ts'
import { MandateError, isSame, newId } from '../core/index.ts'
import type { Json, JsonObject, Outcome } from '../core/index.ts'
import { STANDING_NOTE, readAll } from '../journal/index.ts'
import type { Entry, Journal, RunStartData } from '../journal/index.ts'
import { replyParts } from '../model/index.ts'
import { vectorFrom } from '../memory/index.ts'
import type { Cassette, EmbeddingModel, Message, Model, ModelReply } from '../model/index.ts'
import { useStandIns } from '../run/index.ts'
import type { StandIns } from '../run/index.ts'
import { cassettesOf, standInsFrom } from './cassettes.ts'
import type { EvalSuite } from './suite.ts'

/** Outcomes of effects in a recorded run and its child runs, by effect key; run ids are relative to the root run. */
type Given = ReadonlyMap<string, Outcome<Json>>

/** A suite of one task, made from a recorded run. */
interface RecordedEval {
  readonly suite: EvalSuite & { readonly agent: string }
  /** Where the agent was loaded from, if the journal has it. */
  readonly source: string | undefined
}

/**
 * Makes a regression eval from a recorded run: a task with the input of the run, checks that hold for its result, and a cassette in the given folder with the
 * answers of models and tools. The agent runs once more with those answers, in memory, which writes the cassette and verifies that the result is the same. No
 * model or tool is called, and nothing is written to a memory or database.
 */
export async function evalFromRun(service: AgentService, runId: string, cassettes: string): Promise<RecordedEval> {
  const { journal } = service
  const tape = cassettesOf({ cassettes }, 'record')!(`${runId}-1`)
  const entries = await readAll(journal, runId)
  const start = startOf(entries, runId)
  const { input, context } = toldIn(start, runId)
  const given = await givenIn(journal, runId)
  const approvals = approvalsIn(entries)
  const repeated = await runAgain(service, { start, input, context, given, tape, approvals })
  const recorded = await service.result(runId)
  if (repeated.status !== recorded.status || !isSame(repeated.result, recorded.result))
    throw new MandateError(
      'REPLAY_DIVERGED',
      `The agent does something else today than in run "${runId}": it ends as ${repeated.status}${repeated.error === undefined ? '' : ` (${repeated.error.message})`}, and the run as ${recorded.status}${describeDifference(recorded, repeated)}. Look at the run: mandate show ${runId}`,
    )
  const task = { id: runId, input, checks: checksFor(recorded), ...(context === null ? {} : { context }) }
  return {
    source: start.source,
    suite: {
      name: `${start.name} ${runId}`,
      agent: start.name,
      tasks: [task],
      ...(approvals === undefined ? {} : { approvals }),
    },
  }
}

function startOf(entries: readonly Entry[], runId: string): RunStartData {
  const [first] = entries
  if (first === undefined)
    throw new MandateError('NOT_FOUND', `There is no run "${runId}" here. List the runs with: mandate runs`)
  if (first.type !== 'run-start' || first.data === null)
    throw new MandateError('JOURNAL_ERASED', `The content of run "${runId}" was erased; only its hash chain is left.`)
  if (first.data.mind === 'agent') return first.data
  throw new MandateError(
    'INPUT_INVALID',
    `Run "${runId}" is one of a ${first.data.mind}. Evals are made from runs of agents.`,
  )
}

/** Returns the input of a run. Throws if the run had more input than a task can contain. */
function toldIn(
  { input: given }: RunStartData,
  runId: string,
): { readonly input: string | Message; readonly context: Json } {
  const { prompt, history, context, instructions, toolChoice } = given as unknown as AgentInput
  const more =
    history.length > 0 ? 'a conversation before it' : instructions === undefined ? toolChoice : 'instructions'
  if (prompt === null || more !== undefined)
    throw new MandateError(
      'INPUT_INVALID',
      `Run "${runId}" was given ${more === toolChoice ? 'a tool choice' : more} of its own, which a task does not hold. Use a run that was only given a prompt.`,
    )
  const [part, ...others] = prompt.content
  return { input: others.length === 0 && part?.type === 'text' ? part.text : prompt, context }
}

async function givenIn(journal: Journal, root: string): Promise<Given> {
  const given = new Map<string, Outcome<Json>>()
  const read = async (run: string): Promise<void> => {
    for (const entry of await readAll(journal, run)) {
      if (entry.type !== 'effect-end' || entry.data === null) continue
      given.set(`${run.slice(root.length)}/${entry.key}`, entry.data.outcome)
    }
    for (const child of await journal.list({ parent: run, limit: Number.MAX_SAFE_INTEGER })) await read(child.run)
  }
  await read(root)
  return given
}

/**
 * Returns how calls that needed an approval were answered: `reject` if any was rejected, because a task has one answer for all of them. A standing approval of
 * the service, which an evaluation does not have, is an answer too.
 */
function approvalsIn(entries: readonly Entry[]): 'approve' | 'reject' | undefined {
  const answers = entries.flatMap(({ type, data }) => {
    if (type === 'note' && data?.name === STANDING_NOTE) return ['approve']
    return type === 'approval-response' ? [data?.answer] : []
  })
  if (answers.includes('reject')) return 'reject'
  return answers.includes('approve') ? 'approve' : undefined
}

interface Again {
  readonly start: RunStartData
  readonly input: Message | string
  readonly context: Json
  readonly given: Given
  readonly tape: Cassette
  readonly approvals: 'approve' | 'reject' | undefined
}

const APPROVAL_ROUNDS = 100

async function runAgain(recorded: AgentService, again: Again): Promise<AgentResult<Json>> {
  const service = evaluationService(recorded)
  const { clock, random, registry } = kernelOf(service)
  const runId = newId('run', clock, random)
  const recordings = standInsFrom(again.tape)
  const answers = answersFrom(again.given, runId)
  const release = useStandIns(registry, runId, {
    model: (model) => recordings.model(answers.model(model)),
    tool: (tool) => recordings.tool(answers.tool(tool)),
    embedding: (model) => recordings.embedding(answers.embedding(model)),
    data: answers.data,
  })
  try {
    let result = await service.run(again.start.name, again.input, { runId, context: again.context })
    for (let round = 0; result.status === 'await_user' && round < APPROVAL_ROUNDS; round++) {
      const asked = result.pending.flatMap(({ approvalId }) => approvalId ?? [])
      if (again.approvals === undefined || asked.length === 0) break
      for (const id of asked) await (again.approvals === 'approve' ? service.approve(id) : service.reject(id))
      result = await service.resume(runId)
    }
    await again.tape.close()
    return result
  } finally {
    release()
    await service.stop()
  }
}

/** Makes stand-ins that answer models, tools, memory and databases with the outcomes of the recorded run, by effect key. */
function answersFrom(given: Given, root: string): Required<StandIns> {
  const find = (idempotencyKey: string): Json => {
    const outcome = given.get(idempotencyKey.slice(root.length))
    if (outcome?.status === 'ok') return outcome.value
    if (outcome?.status === 'failed')
      throw new MandateError(outcome.error.code, outcome.error.message, { info: { retriable: false } })
    throw new MandateError(
      'REPLAY_DIVERGED',
      `The recorded run has no answer for ${idempotencyKey.slice(root.length + 1)}.`,
    )
  }
  const known = new WeakMap<object, object>()
  const once = <T extends object>(thing: T, make: () => T): T => {
    const made = (known.get(thing) as T | undefined) ?? make()
    known.set(thing, made)
    return made
  }
  return {
    data: find,
    embedding: (model) =>
      once(model, (): EmbeddingModel => ({
        ...{ id: model.id, provider: model.provider, modelId: model.modelId, local: model.local },
        async embed(_request, { idempotencyKey }) {
          const { vectors } = find(idempotencyKey) as { readonly vectors: readonly string[] }
          return {
            embeddings: vectors.map((vector) => [...vectorFrom(vector)]),
            usage: { inputTokens: 0 },
            warnings: [],
          }
        },
      })),
    model: (model) =>
      once(model, (): Model => ({
        ...{ id: model.id, provider: model.provider, modelId: model.modelId, capabilities: model.capabilities },
        async *stream(_request, { idempotencyKey }) {
          yield* replyParts(find(idempotencyKey) as unknown as ModelReply)
        },
      })),
    tool: (tool) =>
      once(
        tool,
        () =>
          Object.create(tool, {
            run: { value: async (_input: Json, ctx: { readonly idempotencyKey: string }) => find(ctx.idempotencyKey) },
          }) as typeof tool,
      ),
  }
}

/** What a run came to that the repeated one did not. */
function describeDifference(recorded: AgentResult<Json>, { text }: AgentResult<Json>): string {
  return recorded.text === text ? '' : `; it answers ${JSON.stringify(text.slice(0, TEXT_LENGTH))}`
}

const TEXT_LENGTH = 200

/** Builds checks that hold for a result: its status, its answer and the tools it called. They are meant to be extended by hand. */
function checksFor({ status, result, lastText, actions }: Awaited<ReturnType<AgentService['result']>>): string[] {
  const tools = actions.flatMap(({ toolId, performed }) => (performed ? [toolId] : []))
  return [
    `status == ${JSON.stringify(status)}`,
    tools.length === 0 ? 'tools.length == 0' : `tools.join(' ') == ${JSON.stringify(tools.join(' '))}`,
    ...(typeof result === 'object' && result !== null ? memberChecks(result as JsonObject) : textChecks(lastText)),
  ]
}

/** Every text includes the empty one, so a run that said nothing, as one that waits, gives no check of its text. */
function textChecks(text: string): string[] {
  return text === '' ? [] : [`lastText.includes(${JSON.stringify(text.slice(0, TEXT_LENGTH))})`]
}

/** Builds one check for each primitive member of a structured answer. */
function memberChecks(result: JsonObject): string[] {
  return Object.entries(result).flatMap(([name, value]) => {
    const isPlain = typeof value !== 'object' && /^[A-Za-z_]\w*$/.test(name)
    return isPlain ? [`result.${name} == ${JSON.stringify(value)}`] : []
  })
}
