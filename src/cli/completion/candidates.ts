import { COMMANDS, optionsOf } from '../help/commands.ts'
import { optionNames, optionOf } from '../help/options.ts'
import type { OptionName } from '../help/options.ts'

/** A completion with its description. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** Looks up ids in the store; empty if there is no store. */
export interface StoredIds {
  runs(prefix: string): Promise<readonly Candidate[]>
  approvals(): Promise<readonly Candidate[]>
}

/** The values of options that take one of a few words. */
const VALUES: Readonly<Partial<Record<OptionName, readonly string[]>>> = {
  color: ['auto', 'always', 'never'],
  scope: ['once', 'run', 'rule'],
  pack: ['filesystem', 'web', 'sql=', 'shell', 'mcp'],
  status: ['running', 'suspended', 'completed', 'failed', 'cancelled'],
  priority: ['high', 'normal', 'low'],
  cassette: ['record', 'replay', 'live'],
  engine: ['dbos', 'restate', 'local'],
  template: ['agent', 'analyst', 'chat', 'graph', 'mcp'],
}

/**
 * Returns the completions at the end of a command line. `typed` holds the words after `mandate`; its last word is being typed. An empty list means that a file
 * is expected, which shells complete themselves.
 */
export async function candidates(typed: readonly string[], ids: StoredIds): Promise<readonly Candidate[]> {
  const current = typed.at(-1) ?? ''
  const before = typed.slice(0, -1)
  const option = valueAwaited(before)
  const found = option === undefined ? await wordsFor(before, current, ids) : await valuesOf(option, current, ids)
  return found.filter(({ word }) => word.startsWith(current))
}

async function wordsFor(before: readonly string[], current: string, ids: StoredIds): Promise<readonly Candidate[]> {
  const words = positionals(before)
  const [name, ...rest] = words
  const help = COMMANDS.get(name ?? '')
  if (current.startsWith('-')) return optionsOf(name ?? '').map((one) => optionCandidate(name, one))
  if (help === undefined) return name === undefined ? commandCandidates() : []
  if (help.actions !== undefined && rest.length === 0) {
    const verbs = new Map(help.actions.map(([action, about]) => [action.split(' ')[0]!, about]))
    return [...verbs].map(([word, about]) => ({ word, about }))
  }
  const [, second] = help.actions?.find(([action]) => action.startsWith(`${rest[0]} `))?.[0].split(' ') ?? []
  if (second === '<run>') return rest.length === 1 ? ids.runs(current) : []
  if (help.words === 'command') return rest.length === 0 ? commandCandidates() : []
  if (help.words === 'run') return rest.length === 0 || name === 'diff' ? ids.runs(current) : []
  if (help.words === 'approval') return rest.length === 0 || name === 'approve' ? ids.approvals() : []
  return []
}

function commandCandidates(): readonly Candidate[] {
  return [...COMMANDS].map(([word, { about }]) => ({ word, about }))
}

function optionCandidate(command: string | undefined, name: OptionName): Candidate {
  const about = COMMANDS.get(command ?? '')?.options?.[name] ?? optionOf(name).about ?? ''
  return { word: `--${name}`, about }
}

/** Returns the option whose value comes next. */
function valueAwaited(before: readonly string[]): OptionName | undefined {
  const last = before.at(-1)
  return optionNames().find((name) => last === `--${name}` && optionOf(name).type === 'string')
}

/** Options whose value is a run id. */
const RUN_OPTIONS: readonly OptionName[] = ['parent', 'after']

async function valuesOf(option: OptionName, current: string, ids: StoredIds): Promise<readonly Candidate[]> {
  if (RUN_OPTIONS.includes(option)) return ids.runs(current)
  return (VALUES[option] ?? []).map((word) => ({ word, about: '' }))
}

/** Returns the words that are neither options nor their values. */
function positionals(before: readonly string[]): readonly string[] {
  return before.filter((word, index) => !word.startsWith('-') && valueAwaited(before.slice(0, index)) === undefined)
}
