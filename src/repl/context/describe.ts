import type { ContextFacts, ContextPart } from './context.ts'
import { CONTEXT_OPERATIONS } from './operations.ts'

const METHODS: readonly string[] = [
  'Positions count characters from 0, lines count from 0, and the end of a range is not included.',
  '```ts',
  'declare const context: {',
  '  label: string; length: number; bytes: number; lineCount: number',
  ...CONTEXT_OPERATIONS.flatMap(({ signature, description }) => [`  /** ${description} */`, `  ${signature}`]),
  '}',
  '```',
]

const number = (value: number): string => value.toLocaleString('en-US')

/** Describes to the model of a session the part that is its `context`. */
export function describePart({ from, to }: ContextPart): string {
  return [
    `It is a text of ${number(to - from)} characters that is not loaded: read it in parts with its methods, which are asynchronous (await them).`,
    ...METHODS,
  ].join('\n')
}

/** Describes a context to a model: its size and the methods that read it. Shows none of its text. */
export function describeContext(facts: ContextFacts): string {
  const { label, length, bytes, lineCount } = facts
  return [
    `\`context\` is a text named ${JSON.stringify(label)} with ${number(length)} characters (${number(bytes)} bytes) in ${number(lineCount)} lines. It is not loaded: read it in parts with`,
    'its methods, which are asynchronous (await them).',
    ...METHODS,
  ].join('\n')
}
