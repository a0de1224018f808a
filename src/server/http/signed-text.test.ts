import { expect, it } from 'vitest'
import { SignedTexts } from './signed-text.ts'

const links = new SignedTexts<string>('a-secret-of-the-server-0001', 'link')

it('carries a value and its end, in characters that addresses and cookies take', async () => {
  const text = await links.make('für Ana?', 1_000)
  expect(text).toMatch(/^[\w-]+\.[\w-]{43}$/)
  expect(await links.read(text)).toEqual({ value: 'für Ana?', expiresAt: 1_000 })
})

it('holds for its purpose and its secret alone, and not when a character was changed', async () => {
  const text = await links.make('Ana', 1_000)
  expect(await new SignedTexts('a-secret-of-the-server-0001', 'cookie').read(text)).toBeUndefined()
  expect(await new SignedTexts('another-secret-of-somebody', 'link').read(text)).toBeUndefined()
  for (const changed of [
    `${text}.`,
    `x${text}`,
    text.slice(0, -2),
    text.replace('.', ''),
    '',
    '.',
    `.${'a'.repeat(9_000)}`,
  ])
    expect(await links.read(changed)).toBeUndefined()
})
