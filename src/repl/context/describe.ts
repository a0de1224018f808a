import type { ContextFacts } from './context.ts'
import { CONTEXT_OPERATIONS } from './operations.ts'

const number = (value: number): string => value.toLocaleString('en-US')

/** Describes a context to a model: what it is, and how scripts read it. Nothing of its text is shown. */
export function describeContext(facts: ContextFacts): string {
  const { label, length, bytes, lineCount } = facts
  return [
    `\`context\` is a text named ${JSON.stringify(label)} with ${number(length)} characters (${number(bytes)} bytes) in ${number(lineCount)} lines. It is not loaded: read it in parts with`,
    'its methods, which are asynchronous (await them). Positions count characters from 0, lines count from 0, and the end of a range is not included.',
    '```ts',
    'declare const context: {',
    '  label: string; length: number; bytes: number; lineCount: number',
    ...CONTEXT_OPERATIONS.flatMap(({ signature, description }) => [`  /** ${description} */`, `  ${signature}`]),
    '}',
    '```',
  ].join('\n')
}
