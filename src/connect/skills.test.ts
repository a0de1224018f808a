import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { skillsIn } from './skills.ts'

let dir = ''
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mandate-skills-'))))
afterEach(() => rmSync(dir, { recursive: true }))

function put(folder: string, text: string): string {
  mkdirSync(join(dir, folder), { recursive: true })
  writeFileSync(join(dir, folder, 'SKILL.md'), text)
  return join(dir, folder, 'SKILL.md')
}

test('every SKILL.md of a folder and of those directly below it is a skill, by name', async () => {
  put('.', '---\nname: own\ndescription: The folder itself.\n---\nOwn.')
  put('greet', '---\ndescription: How we greet.\n---\nSay hello.')
  put('deep/er', '---\nname: deep\ndescription: Too deep.\n---\n')
  mkdirSync(join(dir, 'empty'))
  const skills = await skillsIn(dir)
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ['greet', 'How we greet.'],
    ['own', 'The folder itself.'],
  ])
  expect(await skills[0]!.load()).toBe('Say hello.')
})

test('instructions are read on demand', async () => {
  const file = put('greet', '---\ndescription: d\n---\nSay hello.')
  const [skill] = await skillsIn(dir)
  writeFileSync(file, '---\ndescription: d\n---\nSay good morning.')
  expect(await skill!.load()).toBe('Say good morning.')
  rmSync(file)
  await expect(async () => skill!.load()).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('links are not followed', async () => {
  put('greet', '---\ndescription: d\n---\nSay hello.')
  const outside = mkdtempSync(join(tmpdir(), 'mandate-outside-'))
  writeFileSync(join(outside, 'SKILL.md'), '---\nname: outside\ndescription: d\n---\nSecret.')
  symlinkSync(outside, join(dir, 'linked'))
  mkdirSync(join(dir, 'half'))
  symlinkSync(join(outside, 'SKILL.md'), join(dir, 'half', 'SKILL.md'))
  expect((await skillsIn(dir)).map(({ name }) => name)).toEqual(['greet'])
  rmSync(outside, { recursive: true })
})

test('a missing folder, an invalid skill and one that is too long are refused with their path', async () => {
  await expect(skillsIn(join(dir, 'nowhere'))).rejects.toThrow(/nowhere cannot be read/)
  put('bad', '# No front matter')
  await expect(skillsIn(dir)).rejects.toThrow(/bad.SKILL.md: A skill begins with front matter/)
  put('bad', `---\ndescription: d\n---\n${'x'.repeat(300_000)}`)
  await expect(skillsIn(dir)).rejects.toThrow(/Keep a skill below/)
})
