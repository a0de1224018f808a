import { codeOf, describeOutcome, toPlain } from '../core/index.ts'
import type { BudgetLimits, Json, Outcome } from '../core/index.ts'
import type { AgentInput, AgentOutput, RunnerInput } from '../agent/index.ts'
import { assistantMessage, userMessage } from '../model/index.ts'
import type { Message } from '../model/index.ts'
import { MindStop } from '../run/index.ts'
import type { RunContext } from '../run/index.ts'

/** A call of a member: a child run, under the mandates and the budget of the team. */
interface MemberCall {
  readonly member: string
  /** Key of the call in the journal. */
  readonly key: string
  readonly input: AgentInput
  /** The part of the team's budget that it may spend. */
  readonly allot?: BudgetLimits | undefined
  /** Set for the member whose text is streamed as the text of the team. */
  readonly speak?: RunnerInput['speak'] | undefined
  /** Timeout of the call. Time in which it waits for people does not count. */
  readonly timeoutMs?: number | undefined
}

/** Runs a member and returns its outcome. */
export async function callMember(context: RunContext, call: MemberCall): Promise<Outcome<AgentOutput>> {
  const { member, key, input, allot, timeoutMs, speak } = call
  const perform = (strand: RunContext, name: string): Promise<Outcome<AgentOutput>> =>
    strand.perform<AgentOutput>({
      kind: 'agent',
      name: member,
      input,
      key: name,
      origin: 'team',
      ...(allot === undefined ? {} : { allot }),
      ...(speak === undefined ? {} : { onEvent: speak }),
    })
  if (timeoutMs === undefined) return perform(context, key)
  const late = `"${member}" did not end within ${timeoutMs} ms.`
  const decide = async (strand: RunContext): Promise<Json> => toPlain(await perform(strand, 'agent')).value
  try {
    return (await context.record(key, decide, { timeoutMs, late })) as unknown as Outcome<AgentOutput>
  } catch (error) {
    const { code = 'MIND_FAILED', message = '' } = error as { code?: 'TIMEOUT'; message?: string }
    return { status: 'failed', error: { code, message } }
  }
}

/** Returns the output of a member, or ends the team's run with the same error code. */
export function outputOf(member: string, outcome: Outcome<AgentOutput>): AgentOutput {
  if (outcome.status === 'ok') return outcome.value
  throw new MindStop(codeOf(outcome), `"${member}" ${describeOutcome(outcome)}`, null, { member })
}

/** The input of a member that receives only a task. */
export function taskInput(text: string, { context }: Pick<RunnerInput, 'context'>): AgentInput {
  return { prompt: userMessage(text), history: [], context }
}

/** The input of a member that continues the conversation. */
export function conversationInput({ messages, context }: Omit<RunnerInput, 'speak'>): AgentInput {
  const last = messages.at(-1)
  return last?.role === 'user'
    ? { prompt: last, history: messages.slice(0, -1), context }
    : { prompt: null, history: messages, context }
}

/** Appends messages to the conversation of the team's run. */
export function keepMessages(context: RunContext, messages: readonly Message[]): void {
  for (const message of messages) context.append(message)
}

/** Returns the final answer of the team, and appends it to the conversation. */
export function answer(
  context: RunContext,
  { text, result }: Pick<AgentOutput, 'text' | 'result'>,
): { readonly text: string; readonly result?: Json } {
  if (text !== '') keepMessages(context, [assistantMessage(text)])
  return result === null ? { text } : { text, result }
}
