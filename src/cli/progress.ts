import { isRecord } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import { lostValues } from '../redact/index.ts'
import type { Decision, EffectStartData } from '../journal/index.ts'
import type { AgentResult } from '../agent/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { textOf } from '../model/index.ts'
import type { Message } from '../model/index.ts'
import { screenWidth } from './terminal/layout.ts'
import { alert, clip, count, isVerbose, note, paint, spentText, streamText } from './output.ts'
import { hint, ownCommand } from './help/own-command.ts'

/** Writes one line per event, on a terminal and in a pipe alike, without colour in a pipe. Questions that are asked on the terminal are shown only there. */
export function showProgress(isAsking: boolean, turns: boolean, texts = false): (event: MandateEvent) => void {
  const names = new Map<string, string>()
  const thoughts = new Thoughts()
  return (event) => {
    const { type, runId, agentId, key = '', data } = event
    // With --verbose, because most models think at length.
    if (type === 'reasoning-delta') {
      if (isVerbose() && !runId.includes('.')) thoughts.add(data.text)
      return
    }
    if (!runId.includes('.')) thoughts.end()
    if ((type as string) === 'graph') showStep(event, data as unknown as GraphStep)
    else if (type === 'run-start') {
      if (!runId.includes('.')) noteLost(data.input)
    } else if (type === 'step-start') {
      if (!turns) return
      const of = runId.includes('.') ? ` of ${agentId}` : ''
      note(paint('dim', `turn ${data.turn}${of}`))
    } else if (type === 'effect-start') {
      names.set(key, data.name)
      if (data.kind !== 'model') note(`  ${paint('cyan', '→')} ${data.name} ${paint('dim', shownInput(data))}`)
      if (isVerbose()) showDecision(data.decision)
    } else if (type === 'text-delta') {
      // The text of child runs is not streamed, because it would be mixed into this text.
      if (texts && !runId.includes('.')) streamText(data.text)
    } else if (type === 'effect-retry') {
      const { attempt, waitMs, reason } = data
      const when = waitMs === 0 ? 'now' : `in ${(waitMs / 1_000).toFixed(1)} s`
      note(`  ${paint('yellow', '↻')} ${names.get(key) ?? key}: attempt ${attempt} ${when}, because ${reason}`)
    } else if (type === 'effect-decide') names.set(key, data.name)
    else if (type === 'effect-end') showEnd(names.get(key) ?? key, data.outcome)
    else if (type === 'approval-request') {
      // A call that a person denies ends without a start event.
      names.set(key, data.name)
      if (isAsking) return
      note(`  ${paint('yellow', '?')} ${data.name}: ${data.text.replaceAll('\n', '\n    | ')}`)
    }
  }
}

/** Says at once that a value of the prompt was redacted, because nothing of the run can use it. */
function noteLost(input: Json): void {
  const lost = lostValues('The input', input)
  if (lost !== undefined) note(paint('yellow', `warning: ${lost}`))
}

/** What a model thinks, in lines, as it comes. */
class Thoughts {
  #line = ''

  add(text: string): void {
    const lines = `${this.#line}${text}`.split('\n')
    this.#line = lines.pop()!
    for (const line of lines) showThought(line)
    while (this.#line.length > THOUGHT_WIDTH) {
      const space = this.#line.lastIndexOf(' ', THOUGHT_WIDTH)
      const end = space > 0 ? space : THOUGHT_WIDTH
      showThought(this.#line.slice(0, end))
      this.#line = this.#line.slice(end).trimStart()
    }
  }

  end(): void {
    showThought(this.#line)
    this.#line = ''
  }
}

const THOUGHT_WIDTH = 74

function showThought(line: string): void {
  if (line.trim() !== '') note(paint('dim', `  ~ ${line}`))
}

/** Returns the informative part of an input: the prompt of a team member without its history, or the source of a cell without its limits. */
function shownInput({ kind, name, input }: EffectStartData): string {
  const room = Math.max((screenWidth() ?? INPUT_WIDTH + name.length + 5) - name.length - 5, INPUT_WIDTH_MIN)
  const source = kind === 'cell' && isRecord(input) ? input['source'] : undefined
  if (typeof source === 'string') return firstLine(source, room)
  const prompt = isRecord(input) ? input['prompt'] : undefined
  return clip(isRecord(prompt) && Array.isArray(prompt['content']) ? textOf(prompt as unknown as Message) : input, room)
}

/** Maximum characters of an input in a pipe; on a terminal the rest of the line. */
const INPUT_WIDTH = 100
const INPUT_WIDTH_MIN = 20

function firstLine(source: string, room: number): string {
  const [first = '', ...others] = source.trim().split('\n')
  const more = others.length === 0 ? '' : ` … ${count(others.length, 'more line')}`
  return `${clip(first, room - more.length)}${more}`
}

/** The step event of a graph's mind. The work of its nodes is shown by their effects. */
interface GraphStep {
  readonly mode: string
  readonly type?: string
  readonly step?: number
  readonly nodes?: readonly string[]
}

function showStep({ runId, agentId }: MandateEvent, { mode, type, step, nodes = [] }: GraphStep): void {
  if (mode !== 'debug' || type !== 'step') return
  const of = runId.includes('.') ? ` of ${agentId}` : ''
  note(paint('dim', `step ${step}${of}: ${nodes.join(', ')}`))
}

function showDecision({ verdict, rule, reason }: Decision): void {
  note(paint('dim', `    ${verdict} by ${rule}: ${reason}`))
}

function showEnd(name: string, outcome: Outcome): void {
  if (outcome.status === 'ok') {
    if (isVerbose()) note(`  ${paint('cyan', '✓')} ${name} ${paint('dim', clip(outcome.value, 300))}`)
    return
  }
  const why = outcome.status === 'failed' ? outcome.error.message : outcome.reason
  const isNamed = why.startsWith(`${name} `)
  note(`  ${paint('red', '✗')} ${isNamed ? why : `${name} ${outcome.status}: ${why}`}`)
}

/** Returns the commands that answer a request of a run. */
export function answeringCommands(id: string, reason: string): readonly string[] {
  const own = ownCommand()
  if (reason === 'approval') return [`${own} approve ${id}`, `${own} deny ${id}`]
  return [`${own} answer ${id} ${reason === 'in-doubt' ? 'happened|not-happened|unknown' : '<value>'}`]
}

/** Shows a request of a suspended run, with the commands that answer it. */
export function noteWaiting(id: string, reason: string): void {
  const [first, other] = answeringCommands(id, reason)
  if (other === undefined) note(`waiting (${reason}): ${first}`)
  else note(`waiting for an approval: ${first}\n                     or: ${other}`)
}

/** Shows how a run ended and the next commands. */
export function showResult(result: AgentResult): void {
  const { inputTokens, outputTokens, estimated } = result.usage
  const spent = spentText(inputTokens + outputTokens, result.cost, estimated)
  note(
    paint(
      'dim',
      `${result.status}, ${count(result.steps, 'turn')}, ${count(result.actions.filter(({ performed }) => performed).length, 'call')}, ${spent}, run ${result.id}`,
    ),
  )
  if (result.error !== undefined) alert(`${paint('red', `error[${result.error.code}]`)} ${result.error.message}`)
  if (result.status !== 'await_user') return
  for (const { approvalId, reason, text } of result.pending) {
    if (approvalId === undefined) note(`waiting (${reason}): ${text}`)
    else noteWaiting(approvalId, reason)
  }
  hint(`continue with: mandate resume ${result.id}`)
}
