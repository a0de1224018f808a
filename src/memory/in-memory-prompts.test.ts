import { expect, test } from 'vitest'
import { manualClock } from '../core/index.ts'
import { type PromptChange, inMemoryPrompts } from './in-memory-prompts.ts'
import type { PromptEngine, PromptParams, RenderOptions } from './prompt-store.ts'

async function render(
  text: string,
  params: PromptParams,
  options?: RenderOptions & { engine?: PromptEngine },
): Promise<string> {
  const prompts = inMemoryPrompts()
  const { engine, ...rest } = options ?? {}
  await prompts.put({ id: 't', text, ...(engine === undefined ? {} : { engine }) })
  return (await prompts.render('t', params, rest)).text
}

test('each put is a new version with author and time; old versions stay as they were', async () => {
  const clock = manualClock(Date.parse('2026-01-02T03:04:05Z'))
  const prompts = inMemoryPrompts({ clock })
  await prompts.put({ id: 'a', name: 'A', text: 'one' }, { author: 'ada' })
  clock.advance(1000)
  const second = await prompts.put({ id: 'a', name: 'A', text: 'two', tags: ['x'] }, { author: 'bob' })
  expect(second).toMatchObject({ version: '2', createdBy: 'bob', createdAt: '2026-01-02T03:04:06.000Z' })
  expect(await prompts.get('a')).toEqual(second)
  expect(await prompts.get('a', '1')).toMatchObject({ version: '1', text: 'one', createdBy: 'ada' })
  for (const version of ['0', '3', '-1', 'x', '1.5']) expect(await prompts.get('a', version)).toBeNull()
  expect(await prompts.get('b')).toBeNull()
  expect(await prompts.list({ tag: 'x' })).toEqual([second])
  expect(await prompts.list({ tag: 'y' })).toEqual([])
  expect(await prompts.list({ name: 'A' })).toHaveLength(1)
})

test('what is returned is a copy', async () => {
  const prompts = inMemoryPrompts()
  const put = (await prompts.put({ id: 'a', text: 'one', tags: ['x'] })) as unknown as { tags: string[] }
  put.tags.push('y')
  expect((await prompts.get('a'))!.tags).toEqual(['x'])
})

test('mustache fills variables, sections, inverted sections and remarks', async () => {
  const text =
    'Hi {{ user.name }}{{! nobody sees this }}: {{#items}}[{{name}} for {{user.name}}]{{/items}}{{^items}}none{{/items}}{{#show}} shown{{/show}} {{#tags}}{{.}},{{/tags}}{{{raw}}}{{&raw}}'
  const params = {
    user: { name: 'Ada' },
    items: [{ name: 'a' }, { name: 'b' }],
    show: true,
    tags: [1, 'x'],
    raw: '<b>',
  }
  expect(await render(text, params)).toBe('Hi Ada: [a for Ada][b for Ada] shown 1,x,<b><b>')
  expect(await render('{{#items}}x{{/items}}{{^items}}none{{/items}}', { items: [] })).toBe('none')
})

test('f-strings fill names and keep doubled braces', async () => {
  expect(await render('{{"a": {value}}} {user.name}', { value: 1, user: { name: 'Ada' } }, { engine: 'fstring' })).toBe(
    '{"a": 1} Ada',
  )
})

test('objects and lists are written as JSON, null as nothing', async () => {
  expect(await render('{{a}}|{{b}}|{{c}}', { a: { x: [1] }, b: null, c: false })).toBe('{"x":[1]}||false')
})

test('a value is put in once: what looks like a template inside it stays text', async () => {
  expect(await render('Hello {{name}}', { name: '{{secret}}', secret: 'no' })).toBe('Hello {{secret}}')
  expect(await render('Hello {name}', { name: '{secret}', secret: 'no' }, { engine: 'fstring' })).toBe('Hello {secret}')
})

test('a variable that is not given is an error by default, and a note when that is wanted', async () => {
  await expect(render('{{a}} {{b.c}}', { b: null })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    info: { missing: ['a', 'b.c'] },
  })
  const prompts = inMemoryPrompts()
  await prompts.put({ id: 't', text: 'x{{a}}y', requiredVars: [] })
  expect(await prompts.render('t', {}, { throwOnMissing: false })).toMatchObject({
    text: 'xy',
    meta: { missing: ['a'], version: '1' },
  })
})

test('a required variable is never left out', async () => {
  const prompts = inMemoryPrompts()
  await prompts.put({ id: 't', text: '{{#a}}x{{/a}}', requiredVars: ['a'] })
  await expect(prompts.render('t', {}, { throwOnMissing: false })).rejects.toThrow(/needs a/)
  await expect(prompts.put({ id: 'u', text: 'none', requiredVars: ['a'] })).rejects.toThrow(
    /requires a but never uses it/,
  )
})

test('no name reaches a prototype', async () => {
  for (const name of ['constructor', 'a.constructor', '__proto__', 'a.toString', 'a.length.constructor']) {
    await expect(render(`{{${name}}}`, { a: 'x' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  }
  expect(await render('{{#list}}{{constructor}}{{/list}}', { list: [{}], constructor: 'given' })).toBe('given')
})

test('writing that cannot be seen is dropped from values', async () => {
  const hidden = String.fromCodePoint(0xe0049, 0xe0067, 0xe006e)
  expect(await render('{{a}}', { a: `a\u200B\u2060b\u202Ec${hidden}` })).toBe('abc')
})

test('nested sections over long lists cannot grow without end', async () => {
  const list = Array.from({ length: 1000 }, () => 'x')
  await expect(render('{{#a}}{{#a}}{{#a}}{{#a}}{{.}}{{/a}}{{/a}}{{/a}}{{/a}}', { a: list })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
  })
})

test('an invalid template is refused with the position, by put and by validate', async () => {
  const prompts = inMemoryPrompts()
  const bad: [string, PromptEngine | undefined, RegExp][] = [
    ['line\n {{name', undefined, /unclosed tag at 2:8/],
    ['{{#a}}x', undefined, /unclosed section "a" at 1:8/],
    ['{{#a}}{{/b}}', undefined, /unclosed section "a" at 1:7/],
    ['{{/b}}', undefined, /unopened section "b" at 1:1/],
    ['{{> file}}', undefined, /partials are not supported/],
    ['{{=<% %>=}}', undefined, /delimiters are not supported/],
    ['{{include "../../x"}}', undefined, /is not a variable name/],
    ['{{x|upper|eval}}', undefined, /is not a variable name/],
    ['{{#each x}}{{/each}}', undefined, /unclosed section "each x"/],
    ['{{#a}}'.repeat(40) + '{{/a}}'.repeat(40), undefined, /nested deeper/],
    ['a {b', 'fstring', /"\{" at 1:3/],
    ['a {b + 1}', 'fstring', /"\{" at 1:3/],
    ['a } b', 'fstring', /"\}" at 1:3 closes nothing/],
    ['{{> file}}', 'handlebars', /partials are not supported/],
    ['{{#each a}}', 'handlebars', /Parse error on line 1/],
    ['{{shout a}}', 'handlebars', /no helper "shout"/],
    ['{{log a}}', 'handlebars', /no helper "log"/],
    ['{{#*inline "x"}}{{/inline}}', 'handlebars', /not supported/],
    ['{{@level}}', 'handlebars', /no "@level"/],
    ['{% include "x" %}', 'liquid', /tag "include" not found/],
    ['{% render "x" %}', 'liquid', /tag "render" not found/],
    ['{{ a | eval }}', 'liquid', /undefined filter: eval/],
    ['{{ "now" | date: "%Y" }}', 'liquid', /undefined filter: date/],
    ['{% if a %}', 'liquid', /not closed/],
    ['{{a}}', 'ejs' as PromptEngine, /no template engine "ejs"/],
    ['x'.repeat(300_000), undefined, /longer than/],
  ]
  for (const [text, engine, message] of bad) {
    const result = await prompts.validate(text, engine)
    expect(result.ok).toBe(false)
    expect(result.errors!.join()).toMatch(message)
    await expect(prompts.put({ id: 'x', text, ...(engine === undefined ? {} : { engine }) })).rejects.toThrow(message)
  }
  expect(await prompts.validate('{{fine}}')).toEqual({ ok: true })
  expect(await prompts.list()).toEqual([])
})

test('every change is reported before it takes effect, once and in order, and can be refused', async () => {
  const changes: PromptChange[] = []
  const prompts = inMemoryPrompts({
    onChange: async (change) => {
      await new Promise(setImmediate)
      if (change.after.text.includes('forbidden')) throw new Error('against the policy')
      changes.push(change)
    },
  })
  await Promise.all([prompts.put({ id: 'a', text: 'one' }), prompts.put({ id: 'a', text: 'two' })])
  await expect(prompts.put({ id: 'a', text: 'forbidden' })).rejects.toThrow('against the policy')
  expect(changes.map(({ before, after }) => [before?.version, after.version, after.text])).toEqual([
    [undefined, '1', 'one'],
    ['1', '2', 'two'],
  ])
  expect((await prompts.get('a'))!.text).toBe('two')
})

test('rendering reports the tokens, and an unknown template is named with the known ones', async () => {
  const prompts = inMemoryPrompts({ estimateTokens: (text) => text.length })
  await prompts.put({ id: 'known', text: 'abc' })
  expect((await prompts.render('known')).meta.tokensEstimate).toBe(3)
  await expect(prompts.render('unknown')).rejects.toThrow(/no prompt template "unknown".*Known: known/)
  await prompts.label?.('known', 'production', '1')
  await expect(prompts.render('known', {}, { version: 'prod' })).rejects.toThrow(
    'The prompt template "known" has no version prod. It has: 1, production.',
  )
  await expect(prompts.put({ id: '../x', text: 'a' })).rejects.toMatchObject({ code: 'ID_INVALID' })
})
