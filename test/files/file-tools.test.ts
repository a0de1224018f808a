import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SECRET, ground } from './workspace.fixture.ts'

test('a file is written, read in parts, edited by a passage, and the diff says what changed', async () => {
  const { root, call } = ground()
  expect(await call('write_file', { path: 'src/a.ts', content: 'one\ntwo\nthree\n' })).toMatchObject({
    created: true,
    bytes: 14,
  })
  expect(await call('read_file', { path: 'src/a.ts', offset: 2, limit: 1 })).toMatchObject({ content: 'two', lines: 4 })
  const edited = await call('edit_file', { path: 'src/a.ts', old_string: 'two', new_string: '$& and $1' })
  expect(edited).toMatchObject({ created: false, diff: '@@ line 1 @@\n one\n-two\n+$& and $1\n three\n ' })
  expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe('one\n$& and $1\nthree\n')
  expect(readdirSync(join(root, 'src'))).toEqual(['a.ts'])
})

test('both spellings of an edit work, an empty passage means the whole file, and an unclear one is refused', async () => {
  const { root, call } = ground()
  await call('edit_file', { path: 'a', old_str: '', new_str: 'x x' })
  await expect(call('edit_file', { path: 'a', old_str: 'x', new_str: 'y' })).rejects.toThrow('more than once')
  await expect(call('edit_file', { path: 'a', old_string: 'z', new_string: 'y' })).rejects.toThrow('does not occur')
  await expect(call('edit_file', { path: 'b', old_string: 'z', new_string: 'y' })).rejects.toThrow('no "b" to edit')
  await expect(call('edit_file', { path: 'a' })).rejects.toThrow('new_string')
  await call('edit_file', { path: 'a', content: 'whole' })
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('whole')
})

test.for([
  ['utf-8', Buffer.from('grün\n')],
  ['utf-8 with a mark', Buffer.from('\uFEFFgrün\n')],
  ['utf-16le', Buffer.from('\uFEFFgrün\n', 'utf16le')],
  ['utf-16be', Buffer.from('\uFEFFgrün\n', 'utf16le').swap16()],
] as const)('an edit keeps the encoding, the mark and the mode of a file: %s', async ([, bytes]) => {
  const { root, call } = ground()
  writeFileSync(join(root, 'a'), bytes)
  chmodSync(join(root, 'a'), 0o750)
  expect(await call('read_file', { path: 'a' })).toMatchObject({ content: 'grün\n' })
  await call('edit_file', { path: 'a', old_string: 'grün', new_string: 'blau' })
  await call('edit_file', { path: 'a', old_string: 'blau', new_string: 'grün' })
  expect(readFileSync(join(root, 'a')).equals(bytes)).toBe(true)
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o750)
})

test('what is not text is refused and left as it is', async () => {
  const { root, call } = ground()
  writeFileSync(join(root, 'zero'), Buffer.from([65, 0, 66]))
  writeFileSync(join(root, 'latin'), Buffer.from([0x67, 0x72, 0xfc, 0x6e]))
  await expect(call('read_file', { path: 'zero' })).rejects.toThrow('is not text')
  await expect(call('edit_file', { path: 'latin', content: 'x' })).rejects.toThrow('is not text')
  expect(readFileSync(join(root, 'latin'))).toHaveLength(4)
})

test('files are listed with their kind and searched by text; links are named and not followed', async () => {
  const { root, outside, call } = ground({ deny: ['closed'] })
  mkdirSync(join(root, 'd'))
  writeFileSync(join(root, 'd/a.ts'), 'x\nneedle here\n')
  writeFileSync(join(root, 'd/b.md'), 'Needle')
  mkdirSync(join(root, 'closed'))
  writeFileSync(join(root, 'closed/c.ts'), 'needle')
  symlinkSync(outside, join(root, 'link'))
  expect(await call('list_files', { depth: 3 })).toEqual({
    entries: ['[dir] d', '[file] d/a.ts', '[file] d/b.md', '[link, not followed] link'],
  })
  expect(await call('search_files', { text: 'needle' })).toMatchObject({
    matches: [{ path: 'd/a.ts', line: 2, text: 'needle here' }],
  })
  expect(await call('search_files', { text: 'NEEDLE', ignoreCase: true, name: '*.md' })).toMatchObject({
    matches: [{ path: 'd/b.md', line: 1 }],
    files: 1,
  })
  expect(JSON.stringify(await call('search_files', { text: 'secret' }))).not.toContain(SECRET)
  await expect(call('read_file', { path: 'CLOSED/c.ts' })).rejects.toThrow('closed to these tools')
})

test('writing to what is protected makes no folder on the way, and without `write` there is nothing to write with', async () => {
  const { root, call } = ground()
  await expect(call('write_file', { path: '.git/hooks/x', content: '' })).rejects.toThrow('protected')
  expect(existsSync(join(root, '.git'))).toBe(false)
  const reading = ground({ write: false })
  await expect(reading.call('write_file', { path: 'a', content: '' })).rejects.toThrow('undefined')
})

test('two spellings of one letter are one name', async () => {
  const { root, call } = ground()
  await call('write_file', { path: 'cafe\u0301.txt', content: 'a' })
  await call('write_file', { path: 'caf\u00e9.txt', content: 'b' })
  expect(readdirSync(root)).toEqual(['caf\u00e9.txt'])
  writeFileSync(join(root, 'e\u0301'), 'apart')
  expect(await call('read_file', { path: '\u00e9' })).toMatchObject({ content: 'apart' })
})
