import { manualClock } from '../../core/index.ts'
import type { PromptChange, PromptStore } from '../../memory/index.ts'
import { refusal } from '../journal-cases/case.ts'
import type { PromptSubject, StoreCase } from './case.ts'

type Case = PromptSubject extends { start(): Promise<{ open(options: infer O): unknown }> }
  ? StoreCase<PromptStore, O>
  : never

/** Versions that never change, labels that move. */
export const promptCases: readonly Case[] = [
  {
    name: 'each put is a new version with author and time; old versions stay as they were',
    async check(store, expect) {
      const clock = manualClock(Date.parse('2026-01-02T03:04:05Z'))
      let prompts = await store.open({ clock })
      await prompts.put({ id: 'a', name: 'A', text: 'one' }, { author: 'ada' })
      clock.advance(1_000)
      const second = await prompts.put({ id: 'a', name: 'A', text: 'two ä\u2028', tags: ['x'] }, { author: 'bob' })
      await prompts.put({ id: 'b', text: 'other' })
      if (store.isShared) {
        await prompts.close?.()
        prompts = await store.open({ clock })
      }
      expect([second.version, second.createdBy, second.createdAt]).toEqual(['2', 'bob', '2026-01-02T03:04:06.000Z'])
      expect(await prompts.get('a')).toEqual(second)
      expect((await prompts.get('a', '1'))?.text).toBe('one')
      for (const version of ['0', '3', '-1', 'x', '1.5', '']) expect(await prompts.get('a', version)).toBe(null)
      expect(await prompts.get('c')).toBe(null)
      expect((await prompts.list()).map(({ id, version }) => id + version)).toEqual(['a2', 'b1'])
      expect(await prompts.list({ tag: 'x' })).toEqual([second])
      expect((await prompts.list({ name: 'A' })).length).toBe(1)
      expect((await prompts.versions?.('a'))?.map(({ text }) => text)).toEqual(['one', 'two ä\u2028'])
      expect(await prompts.versions?.('c')).toEqual([])
    },
  },
  {
    name: 'a label names a version, and moves',
    async check(store, expect) {
      const prompts = await store.open({})
      await prompts.put({ id: 'a', text: 'one' })
      await prompts.put({ id: 'a', text: 'two' })
      await prompts.label?.('a', 'production', '1')
      expect((await prompts.get('a', 'production'))?.text).toBe('one')
      await prompts.label?.('a', 'next', '2')
      await prompts.label?.('a', 'production', 'next')
      expect((await prompts.render('a', {}, { version: 'production' })).text).toBe('two')
      expect(await prompts.labels?.('a')).toEqual({ production: '2', next: '2' })
      expect(await refusal(prompts.label!('a', 'x', '9'))).toBe('NOT_FOUND')
      expect(await refusal(prompts.label!('a', '7', '1'))).toBe('INPUT_INVALID')
    },
  },
  {
    name: 'templates are rendered; a variable that is missing is an error',
    async check(store, expect) {
      const prompts = await store.open({})
      await prompts.put({ id: 'a', text: 'Hello {{name}}', requiredVars: ['name'] })
      expect((await prompts.render('a', { name: 'Ada' })).text).toBe('Hello Ada')
      expect(await refusal(prompts.render('a', {}))).toBe('INPUT_INVALID')
      expect(await refusal(prompts.render('nothing'))).toBe('NOT_FOUND')
      expect(await refusal(prompts.put({ id: 'b', text: '{{#open}}' }))).toBe('CONFIG_INVALID')
      expect((await prompts.validate('{{#open}}')).ok).toBe(false)
    },
  },
  {
    name: 'a policy decides who may change what, and an audit that fails lets nothing happen',
    async check(store, expect) {
      const seen: PromptChange[] = []
      const prompts = await store.open({
        policy: { authors: ['ada'] },
        onChange: (change) => {
          if (change.after.text === 'unheard') throw new Error('the audit is away')
          seen.push(change)
        },
      })
      expect(await refusal(prompts.put({ id: 'a', text: 'one' }))).toBe('DENIED')
      expect(await refusal(prompts.put({ id: 'a', text: 'one' }, { author: 'eve' }))).toBe('DENIED')
      await prompts.put({ id: 'a', text: 'one' }, { author: 'ada' })
      expect((await refusal(prompts.put({ id: 'a', text: 'unheard' }, { author: 'ada' }))).includes('away')).toBe(true)
      expect(await refusal(prompts.label!('a', 'production', '1', { author: 'eve' }))).toBe('DENIED')
      expect((await prompts.versions?.('a'))?.length).toBe(1)
      expect(seen.map(({ op, before, author }) => [op, before, author])).toEqual([['put', null, 'ada']])
    },
  },
  {
    name: 'versions stored at once get numbers of their own',
    async check(store, expect) {
      const first = await store.open({})
      const second = store.isShared ? await store.open({}) : first
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? first : second).put({ id: 'a', text: `text ${index}` })),
      )
      const versions = (await first.versions?.('a')) ?? []
      expect(versions.map(({ version }) => Number(version))).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 1),
      )
      expect(new Set(versions.map(({ text }) => text)).size).toBe(20)
    },
  },
]
