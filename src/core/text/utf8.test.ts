import { expect, it } from 'vitest'
import { utf8Bytes } from './utf8.ts'

it.each(['', 'plain', 'é', 'ß→€', '日本語', '🙂', 'a🙂é日', '\ud83d', '\ude42x', '\ud83d\ud83d\ude42'])(
  'the bytes of %j are those that an encoder writes',
  (text) => expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length),
)
