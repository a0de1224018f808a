import { styleText } from 'node:util'
import type { AgentResult } from '../agent/index.ts'
import type { MandateEvent } from '../core/index.ts'

/** Notes go to stderr, so that stdout holds nothing but the answer. `styleText` obeys NO_COLOR and pipes. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

const style: typeof styleText = (format, text) => styleText(format, text, { stream: process.stderr })

interface Shown {
  readonly kind?: string
  readonly name?: string
  readonly outcome?: { readonly status: string; readonly error?: { readonly message: string }; readonly reason?: string }
  readonly text?: string
  readonly rule?: string
}

/** One line for each thing that happens. */
export function showProgress(): (event: MandateEvent) => void {
  const names = new Map<string, string>()
  return ({ type, key = '', data }) => {
    const shown = data as Shown
    if (type === 'step-start') note(style('dim', `turn ${(data as { turn: number }).turn}`))
    else if (type === 'effect-start') {
      names.set(key, shown.name ?? '')
      if (shown.kind !== 'model') note(`  ${style('cyan', '→')} ${shown.name}`)
    } else if (type === 'effect-end') showEnd(names.get(key) ?? key, shown)
    else if (type === 'approval-request') note(`  ${style('yellow', '?')} ${shown.name}: ${shown.text}`)
  }
}

function showEnd(name: string, { outcome }: Shown): void {
  if (outcome === undefined || outcome.status === 'ok') return
  note(`  ${style('red', '✗')} ${name} ${outcome.status}: ${outcome.error?.message ?? outcome.reason ?? ''}`)
}

/** How a run ended and what can be done next, for a person. */
export function showResult(result: AgentResult): void {
  const { inputTokens, outputTokens } = result.tokenUsage
  const cost = result.costEstimate === undefined ? 'cost unknown' : `$${result.costEstimate.toFixed(4)}`
  note(style('dim', `${result.status}, ${result.steps} turns, ${result.actions.length} calls, ${inputTokens + outputTokens} tokens, ${cost}, run ${result.id}`))
  if (result.error !== undefined && result.status !== 'await_user') note(`${style('red', `error[${result.error.code}]`)} ${result.error.message}`)
  if (result.status !== 'await_user') return
  for (const { approvalId, reason } of result.pending) {
    if (approvalId !== undefined && reason === 'approval') note(`waiting for an approval: mandate approve ${approvalId}   (or: mandate reject ${approvalId})`)
    else if (approvalId !== undefined) note(`waiting (${reason}): mandate answer ${approvalId} <value>`)
  }
  note(`then: mandate resume ${result.id}`)
}
