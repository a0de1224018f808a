import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileContext } from './file-context.ts'

const folder = await mkdtemp(join(tmpdir(), 'mandate-context-'))
afterAll(() => rm(folder, { recursive: true }))

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('a file is read in parts, and its end may come early', async () => {
  const path = join(folder, 'a.txt')
  await writeFile(path, '0123456789')
  const source = fileContext(path)
  expect(source.label).toBe('a.txt')
  expect(await source.size()).toBe(10)
  expect(text(await source.read(2, 5))).toBe('234')
  expect(text(await source.read(8, 20))).toBe('89')
  await appendFile(path, 'abc')
  expect(text(await source.read(9, 12))).toBe('9ab')
})

test('what is no file is an error that names the context and not the path', async () => {
  await expect(fileContext(join(folder, 'none.txt')).size()).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The context "none.txt": There is no such file.',
  })
  await expect(fileContext(folder, { label: 'dir' }).size()).rejects.toThrow('"dir" is not a regular file')
  expect(() => fileContext('')).toThrow('needs the path')
  expect(() => fileContext('a', { lable: 'x' } as never)).toThrow('Did you mean `label`?')
})
