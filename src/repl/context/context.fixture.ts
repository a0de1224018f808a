import type { ContextSource } from '../../memory/index.ts'
import { contextOf } from './context.ts'
import type { Context } from './context.ts'
import { queryContext } from './operations.ts'

/** A source of the UTF-8 bytes of a text, with the number of bytes that were read from it. */
export interface BytesSource extends ContextSource {
  bytes: Uint8Array
  readBytes: number
}

export function sourceOf(text: string | Uint8Array, label: string = 'source.txt'): BytesSource {
  const source: BytesSource = {
    label,
    bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text,
    readBytes: 0,
    size: async () => source.bytes.length,
    async read(start, end) {
      const bytes = source.bytes.slice(start, end)
      source.readBytes += bytes.length
      return bytes
    },
  }
  return source
}

/** Calls a method of a context as a script would. */
export async function call(context: Context, name: string, ...args: readonly unknown[]): Promise<never> {
  return (await queryContext(context, name, args)) as never
}

/** The same text in memory and as a source of bytes. */
export function bothWays(text: string, label?: string): readonly (readonly [string, Context])[] {
  return [
    ['a text in memory', contextOf(text, label === undefined ? {} : { label })],
    ['a source of bytes', contextOf(sourceOf(text, label))],
  ]
}

/** Text with characters of one to four bytes and lines of all lengths, the same for the same seed. */
export function mixedText(length: number, seed: number = 1): string {
  const pieces = ['a', 'needle', ' ', '\n', 'é', '€', '😀', 'word ', '\r\n', 'x1', '\n\n', '日本', '-', 'ab']
  let state = seed
  let text = ''
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += pieces[Math.floor((state / 2_147_483_648) * pieces.length)]!
  }
  return text
}
