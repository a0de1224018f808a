import type { Entry } from '../../../../src/journal/entry.ts'
import { command } from '../../parts/commands.ts'
import { typedJson } from '../../parts/typed-json.ts'

export type ChangeKind = 'nothing' | 'result' | 'prompt' | 'input' | 'message'

/** One possible change of a fork. */
export interface Change {
  readonly kind: ChangeKind
  readonly label: string
  /** The label of the text field; `text` is its current value. */
  readonly field: string
  readonly text: string
  readonly key?: string | undefined
  /** The input of the run that contains the prompt. */
  readonly input?: unknown
  /** Whether the fork shares nothing after the start. */
  readonly isWhole?: boolean
}

interface Started {
  readonly input?: { readonly prompt?: { readonly content?: unknown } }
}

/** Returns the possible changes at an entry: the result of the effect that ended there, the prompt or input of the run, or a message to it. */
export function changesAt(entry: Entry | undefined, start: Entry | undefined): readonly Change[] {
  const changes: Change[] = [{ kind: 'nothing', label: 'nothing: try the rest again', field: '', text: '' }]
  if (entry?.type === 'effect-end' && entry.key !== undefined && entry.data !== null) {
    const { outcome } = entry.data
    changes.push({
      kind: 'result',
      label: `the result of ${entry.key}`,
      field: `What ${entry.key} gave instead, as JSON`,
      text: JSON.stringify(outcome.status === 'ok' ? outcome.value : null, undefined, 2),
      key: entry.key,
    })
  }
  const { input } = (start?.data ?? {}) as Started
  const prompt = promptIn(input)
  if (prompt !== undefined)
    changes.push({
      kind: 'prompt',
      label: 'the prompt of the run',
      field: 'The prompt',
      text: prompt,
      input,
      isWhole: true,
    })
  if (input !== undefined)
    changes.push({
      kind: 'input',
      label: 'the whole input of the run',
      field: 'The input, as JSON',
      text: JSON.stringify(input, undefined, 2),
      isWhole: true,
    })
  changes.push({
    kind: 'message',
    label: 'a message to the run, read before its next step',
    field: 'The message',
    text: '',
  })
  return changes
}

/** Returns the text of a prompt that consists of text only. */
function promptIn(input: Started['input']): string | undefined {
  const content = input?.prompt?.content
  if (typeof content === 'string') return content
  const [part, ...more] = Array.isArray(content) ? (content as readonly { type?: string; text?: string }[]) : []
  return part?.type === 'text' && more.length === 0 ? part.text : undefined
}

/** Returns the request body for a change, or the problem with the typed text. */
export function changeOf(
  change: Change | undefined,
  text: string,
): { readonly body: Readonly<Record<string, unknown>>; readonly problem?: string | undefined } {
  switch (change?.kind) {
    case 'result': {
      const { value, problem } = typedJson(text)
      return text === change.text ? { body: {} } : { body: { edit: { key: change.key, value } }, problem }
    }
    case 'prompt':
      return { body: { edit: { input: withPrompt(change.input, text) } } }
    case 'input': {
      const { value, problem } = typedJson(text)
      return { body: { edit: { input: value } }, problem }
    }
    case 'message':
      return { body: { message: text }, problem: text.trim() === '' ? 'Write what the run shall be told.' : undefined }
    default:
      return { body: {} }
  }
}

function withPrompt(input: unknown, text: string): unknown {
  const { prompt, ...rest } = input as { readonly prompt: { readonly role: string } }
  return { ...rest, prompt: { ...prompt, content: [{ type: 'text', text }] } }
}

/** Returns the equivalent command. */
export function commandOf(runId: string, change: Change | undefined, text: string, at: number): string {
  const one = (value: string): string => value.replaceAll(/\s*\n\s*/g, ' ')
  const fork = (options: Readonly<Record<string, string | undefined>>): string => command('fork', [runId], options)
  if (change?.kind === 'result' && text !== change.text)
    return fork({ at: String(at), key: change.key, value: one(text) })
  if (change?.kind === 'prompt') return fork({ input: JSON.stringify(withPrompt(change.input, text)) })
  if (change?.kind === 'input') return fork({ input: one(text) })
  return fork({ at: String(at) })
}
