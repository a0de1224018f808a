import { describeOutcome } from '../../core/index.ts'
import type { Failed, Json, Outcome } from '../../core/index.ts'
import type { Intent } from '../../gate/index.ts'
import { systemMessage, textOf, userMessage } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop } from './loop.ts'
import { performStep } from './perform-step.ts'
import type { PlanStep } from '../config/strategies.ts'

const ROUNDS = 3
const PROPOSAL_TOKENS = 400

const TASK =
  'A tool call failed. Propose one other call that reaches the same goal, as JSON and nothing else: {"toolName": "...", "input": {...}}. Answer {"toolName": null} if there is none.'

const TASK_WITH_INTENT = `${TASK} Say what you mean by it, in a member "intent": {"purpose": "...", "expectedOutcome": "...", "riskLevel": "read, write, exec or destructive"}.`

interface FailedStep {
  readonly step: PlanStep
  readonly key: string
  readonly outcome: Failed
}

/** The result of a fallback, and the last part of its key. */
interface Recovery {
  readonly outcome: Outcome<Json>
  readonly key: string
}

/** Asks a model for an alternative after a tool has failed. The proposal passes the same gate as any call. */
export async function tryAnotherTool(
  loop: Loop,
  context: RunContext,
  failedStep: FailedStep,
): Promise<Recovery | undefined> {
  const path = `${failedStep.key}/fallback`
  return context.task(path, async (strand) => {
    const attempts = [describeAttempt(failedStep.step, failedStep.outcome)]
    for (let round = 1; round <= ROUNDS; round++) {
      const proposal = await propose(loop, strand, attempts)
      if (proposal === undefined) return undefined
      const key = `tool:${round}`
      const outcome = await performStep(loop, strand, { step: proposal, key, origin: 'fallback' })
      if (outcome.status === 'ok' || context.signal.aborted) return { outcome, key: `${path}/${key}` }
      attempts.push(describeAttempt(proposal, outcome))
    }
    return undefined
  })
}

function describeAttempt(step: PlanStep, outcome: Outcome): string {
  return `${step.toolId!}(${JSON.stringify(step.input ?? {})}) → ${describeOutcome(outcome)}`
}

async function propose(loop: Loop, context: RunContext, attempts: readonly string[]): Promise<PlanStep | undefined> {
  const tools = loop.setup.tools.map(({ name, description, inputSchema }) => ({
    name,
    description: description ?? '',
    inputSchema,
  }))
  const messages = [
    systemMessage(loop.setup.intentRequired ? TASK_WITH_INTENT : TASK),
    userMessage(JSON.stringify({ attempts, goal: loop.prompt, tools })),
  ]
  const outcome = await context.perform<ModelReply>({
    kind: 'model',
    name: loop.spec.fallbackTool!.id,
    input: { messages, maxOutputTokens: PROPOSAL_TOKENS },
    origin: 'fallback',
  })
  return outcome.status === 'ok' ? readProposal(textOf(outcome.value.message)) : undefined
}

function readProposal(text: string): PlanStep | undefined {
  try {
    const parsed = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
      toolName?: unknown
      input?: Json
      intent?: Intent
    }
    if (typeof parsed.toolName !== 'string') return undefined
    const { toolName, input = {}, intent } = parsed
    return {
      type: 'tool',
      toolId: toolName,
      input,
      ...(intent === undefined ? {} : { intent: { ...intent, toolName } }),
    }
  } catch {
    return undefined
  }
}
