import { styleText } from 'node:util'
import type { Json, MandateEvent, Outcome } from 'mandate'

const dim = (text: string): string => styleText('dim', text)

export function heading(text: string): void {
  console.log(`\n${styleText('bold', text)}`)
}

export function line(mark: string, text: string): void {
  console.log(`  ${mark} ${text}`)
}

function clip(value: unknown, length = 76): string {
  const text = (JSON.stringify(value) ?? '').replaceAll('\\"', '"')
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** What a model said, where the outcome is one of a model call. */
function textIn(outcome: Outcome<Json>): string | undefined {
  if (outcome.status !== 'ok') return undefined
  const { message } = Object(outcome.value) as { message?: { content?: { type: string; text?: string }[] } }
  return message?.content?.find((part) => part.type === 'text')?.text
}

/** Tells on the terminal what a run is doing, as it does it. */
export function progress(): (event: MandateEvent) => void {
  const names = new Map<string, string>()
  return ({ type, key = '', data }) => {
    if (type === 'effect-start') {
      names.set(key, data.name)
      if (data.kind === 'tool') line(styleText('cyan', '→'), `${data.name} ${dim(clip(data.input))}`)
    } else if (type === 'effect-end' && names.has(key)) {
      const said = textIn(data.outcome)
      if (said !== undefined) line(styleText('magenta', '·'), said.replaceAll('\n', '\n    '))
      else
        line(
          data.outcome.status === 'ok' ? styleText('green', '✓') : styleText('red', '✗'),
          `${names.get(key)} ${dim(data.outcome.status)}`,
        )
    } else if (type === 'approval-request') {
      line(styleText('yellow', '?'), `the gate asks: ${data.name} ${dim(clip(data.input))}`)
      line(' ', dim(`rule ${data.rule}`))
    } else if (type === 'run-resume') line(styleText('blue', '↻'), 'resumed from the journal')
  }
}
