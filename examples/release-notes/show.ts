import { styleText } from 'node:util'
import type { MandateEvent } from 'mandate'

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

/** Tells on the terminal what a run is doing, as it does it. */
export function progress(): (event: MandateEvent) => void {
  const names = new Map<string, string>()
  return ({ type, key = '', data }) => {
    const entry = data as {
      kind?: string
      name?: string
      input?: unknown
      text?: string
      outcome?: { status: string; value?: { message?: { content?: { type: string; text?: string }[] } } }
      rule?: string
    }
    if (type === 'effect-start') {
      names.set(key, entry.name ?? '')
      if (entry.kind === 'tool') line(styleText('cyan', '→'), `${entry.name} ${dim(clip(entry.input))}`)
    } else if (type === 'effect-end' && names.has(key)) {
      const said = entry.outcome?.value?.message?.content?.find((part) => part.type === 'text')?.text
      if (said !== undefined) line(styleText('magenta', '·'), said.replaceAll('\n', '\n    '))
      else
        line(
          entry.outcome?.status === 'ok' ? styleText('green', '✓') : styleText('red', '✗'),
          `${names.get(key)} ${dim(entry.outcome?.status ?? '')}`,
        )
    } else if (type === 'approval-request') {
      line(styleText('yellow', '?'), `the gate asks: ${entry.name} ${dim(clip(entry.input))}`)
      line(' ', dim(`rule ${entry.rule}`))
    } else if (type === 'run-resume') line(styleText('blue', '↻'), 'resumed from the journal')
  }
}
