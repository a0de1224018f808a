import { styleText } from 'node:util'
import type { Json, MandateEvent, Outcome } from 'mandate'

const dim = (text: string): string => styleText('dim', text)

export function heading(text: string): void {
  console.log(`\n${styleText('bold', text)}`)
}

export function line(mark: string, text: string): void {
  console.log(`  ${mark} ${text}`)
}

/** An input beside these words, in one line of a terminal. */
function clip(value: unknown, beside: string): string {
  const text = (JSON.stringify(value) ?? '').replaceAll('\\"', '"')
  const room = (process.stdout.columns ?? 80) - beside.length - '  → '.length - 2
  return text.length > room ? `${text.slice(0, room)}…` : text
}

/** What a model said, where the outcome is one of a model call. */
function textIn(outcome: Outcome<Json>): string | undefined {
  if (outcome.status !== 'ok') return undefined
  const { message } = Object(outcome.value) as { message?: { content?: { type: string; text?: string }[] } }
  return message?.content?.find((part) => part.type === 'text')?.text
}

/** Tells on the terminal what a run is doing, as it does it. */
export function progress(): (event: MandateEvent) => void {
  const tools = new Map<string, string>()
  return ({ type, key = '', data }) => {
    if (type === 'effect-start') {
      if (data.kind !== 'tool') return
      tools.set(key, data.name)
      line(styleText('cyan', '→'), `${data.name} ${dim(clip(data.input, data.name))}`)
    } else if (type === 'effect-end') {
      const said = textIn(data.outcome)
      const mark = data.outcome.status === 'ok' ? styleText('green', '✓') : styleText('red', '✗')
      if (said !== undefined) line(styleText('magenta', '·'), said.replaceAll('\n', '\n    '))
      // What a tool stores is an effect below it: only what was announced is told.
      else if (tools.has(key)) line(mark, `${tools.get(key)} ${dim(data.outcome.status)}`)
    } else if (type === 'approval-request') {
      const asks = `the gate asks: ${data.name}`
      line(styleText('yellow', '?'), `${asks} ${dim(clip(data.input, asks))}`)
      line(' ', dim(`rule ${data.rule}`))
    } else if (type === 'run-resume') line(styleText('blue', '↻'), 'resumed from the journal')
  }
}
