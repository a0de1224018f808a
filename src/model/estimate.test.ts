import { expect, it } from 'vitest'
import type { Json } from '../core/index.ts'
import { estimateTokens } from './estimate.ts'
import type { Message } from './message.ts'

function resultOf(value: Json): readonly Message[] {
  return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', name: 't', status: 'ok', value }] }]
}

it('counts a result as its JSON, escapes and all, without writing it', () => {
  const texts = [
    'plain 12',
    'line\nnext\t"quoted" \\ \u0001\u001f\u007f',
    'é漢',
    '\u{1f600} whole',
    '\ud800 half',
    '',
    '-0',
  ]
  const values: readonly Json[] = [
    ...texts,
    { rows: texts.map((text, id) => ({ id, text, [`name ${text}`]: [null, true, -1.5e-9, {}, []] })) },
    [],
    [[], [1, 2], { a: undefined as unknown as Json, b: 1 }],
    12.5,
    null,
  ]
  const around = estimateTokens(resultOf('')) - estimateTokens(JSON.stringify(''))
  for (const value of values)
    expect(estimateTokens(resultOf(value))).toBe(around + estimateTokens(JSON.stringify(value)))
})
