import { expect, test } from 'vitest'
import { parseSkill, skillTool } from './skill.ts'
import type { Skill } from './skill.ts'
import type { ToolContext } from './tool.ts'

const file = (header: string, body = 'Do it.'): string => `---\n${header}\n---\n${body}`

test.each<[string, string, Partial<Skill>]>([
  ['plain', file('name: greet\ndescription: How we greet.'), { name: 'greet', description: 'How we greet.' }],
  ['in quotes', file(`name: 'greet'\ndescription: "How: we greet"`), { name: 'greet', description: 'How: we greet' }],
  ['over several lines', file('name: g\ndescription: >-\n  How we\n  greet.'), { description: 'How we greet.' }],
  ['with more fields', file('name: g\nlicense: MIT\nallowed-tools: a, b\ndescription: d'), { description: 'd' }],
  ['with Windows line ends', file('name: g\ndescription: d').replaceAll('\n', '\r\n'), { name: 'g', description: 'd' }],
])('front matter is read %s', (_, text, expected) => {
  const skill = parseSkill(text)
  expect(skill).toMatchObject(expected)
  expect(skill.load()).toBe('Do it.')
})

test('a skill without a name has that of its folder, and one without instructions none', () => {
  expect(parseSkill(file('description: d'), { name: 'folder' }).name).toBe('folder')
  expect(parseSkill('---\nname: g\ndescription: d\n---').load()).toBe('')
  expect(parseSkill(file('name: g\ndescription: d', 'a\n---\nb')).load()).toBe('a\n---\nb')
})

test.each([
  ['no front matter', '# Greeting', /front matter/],
  ['front matter that does not end', '---\nname: g\n', /front matter/],
  ['no name', file('description: d'), /`name`/],
  ['a name that is a path', file('name: ../x\ndescription: d'), /`name`/],
  ['no description', file('name: g'), /`description`/],
])('a text with %s is refused', (_, text, words) => {
  expect(() => parseSkill(text)).toThrow(words)
})

test('the tool tells names and purposes, and reads the instructions only when it is used', async () => {
  let loaded = 0
  const skill = { name: 'greet', description: 'How we greet.', load: async () => `loaded ${++loaded}` }
  const tool = skillTool([skill, parseSkill(file('name: part\ndescription: How we part.'))])
  expect(tool).toMatchObject({ name: 'use_skill', risk: 'read', idempotent: true })
  expect(tool.description).toContain('- greet: How we greet.\n- part: How we part.')
  expect(loaded).toBe(0)
  expect(await tool.run({ name: 'greet' }, {} as ToolContext)).toBe('loaded 1')
  expect(await tool.run({ name: 'part' }, {} as ToolContext)).toBe('Do it.')
  expect(await tool.validate({ name: 'nope' })).toMatchObject({ valid: false })
})

test('two skills of one name are refused', () => {
  const skill = parseSkill(file('name: g\ndescription: d'))
  expect(() => skillTool([skill, skill])).toThrow(expect.objectContaining({ code: 'DUPLICATE' }))
})
