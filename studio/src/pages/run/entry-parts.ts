/** What an entry says, in the order in which people look for it. */
export interface EntryParts {
  /** What went in, what came out and what was said, each with its title. */
  readonly main: readonly (readonly [title: string, value: unknown])[]
  /** The small facts. */
  readonly facts: Readonly<Record<string, unknown>>
}

const TITLES: Readonly<Record<string, string>> = {
  input: 'Input',
  edit: 'Input as edited',
  output: 'Output',
  value: 'Value',
  message: 'Message',
  error: 'Error',
}
/** What is shown above by itself, and what checks and replays need but nobody reads first. */
const AT_THE_END = new Set([
  'outcome',
  'decision',
  'pins',
  'blobs',
  'hash',
  'asked',
  'signature',
  'binding',
  'seed',
  'reserved',
])

/** Takes an entry apart: input, output and errors first, hashes and pins last. All of it stays to be seen as it was recorded. */
export function entryParts(data: unknown): EntryParts {
  const members = Object.entries((data ?? {}) as Readonly<Record<string, unknown>>)
  const outcome = ((data ?? {}) as { outcome?: { value?: unknown; error?: unknown } }).outcome
  const main: (readonly [string, unknown])[] = [
    ...(outcome?.error === undefined ? [] : [['Error', outcome.error] as const]),
    ...(outcome?.value === undefined ? [] : [['Output', outcome.value] as const]),
  ]
  const facts: Record<string, unknown> = {}
  for (const [name, value] of members) {
    if (value === null || value === undefined || AT_THE_END.has(name)) continue
    if (TITLES[name] !== undefined) main.push([TITLES[name], value])
    else facts[name] = value
  }
  return { main, facts }
}
