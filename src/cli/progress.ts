import type { AgentResult } from '../agent/index.ts'
import type { MandateEvent } from '../core/index.ts'
import { clip, count, note, paint } from './output.ts'

interface Shown {
  readonly kind?: string
  readonly name?: string
  readonly input?: never
  readonly outcome?: {
    readonly status: string
    readonly error?: { readonly message: string }
    readonly reason?: string
  }
  readonly text?: string
  readonly turn?: number
}

/** One line for each thing that happens: the same on a terminal and in a pipe, only without colour there. */
export function showProgress(): (event: MandateEvent) => void {
  const names = new Map<string, string>()
  return ({ type, key = '', data }) => {
    const shown = data as Shown
    if (type === 'step-start') note(paint('dim', `turn ${shown.turn}`))
    else if (type === 'effect-start') {
      names.set(key, shown.name ?? '')
      if (shown.kind !== 'model') note(`  ${paint('cyan', '→')} ${shown.name} ${paint('dim', clip(shown.input))}`)
    } else if (type === 'effect-end') showEnd(names.get(key) ?? key, shown)
    else if (type === 'approval-request') note(`  ${paint('yellow', '?')} ${shown.name}: ${shown.text}`)
  }
}

function showEnd(name: string, { outcome }: Shown): void {
  if (outcome === undefined || outcome.status === 'ok') return
  note(`  ${paint('red', '✗')} ${name} ${outcome.status}: ${outcome.error?.message ?? outcome.reason ?? ''}`)
}

/** How a run ended and what can be done next, for a person. */
export function showResult(result: AgentResult): void {
  const { inputTokens, outputTokens } = result.tokenUsage
  const cost = result.costEstimate === undefined ? 'cost unknown' : `$${result.costEstimate.toFixed(4)}`
  note(
    paint(
      'dim',
      `${result.status}, ${count(result.steps, 'turn')}, ${count(result.actions.length, 'call')}, ${count(inputTokens + outputTokens, 'token')}, ${cost}, run ${result.id}`,
    ),
  )
  if (result.error !== undefined) note(`${paint('red', `error[${result.error.code}]`)} ${result.error.message}`)
  if (result.status !== 'await_user') return
  for (const { approvalId, reason, text } of result.pending) {
    if (approvalId !== undefined && reason === 'approval')
      note(`waiting for an approval: mandate approve ${approvalId}   (or: mandate deny ${approvalId})`)
    else if (approvalId !== undefined) note(`waiting (${reason}): mandate answer ${approvalId} <value>`)
    else note(`waiting (${reason}): ${text}`)
  }
  note(`continue with: mandate resume ${result.id}`)
}
