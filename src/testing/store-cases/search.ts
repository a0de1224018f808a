import type { DatabaseClient, DatabaseSearchOptions, RecordOptions } from '../../memory/index.ts'
import { refusal } from '../journal-cases/case.ts'
import type { StartedStore, StoreCase } from './case.ts'

type Case = StoreCase<DatabaseClient, RecordOptions>
type Find = (text: string, options?: DatabaseSearchOptions) => Promise<readonly string[]>

const NOTES: readonly (readonly [key: string, text: string, vector: readonly number[]])[] = [
  ['fox', 'the quick brown fox jumps over one lazy dog', [1, 0, 0]],
  ['dog', 'a dog sleeps in the shade of some old tree', [0.8, 0.6, 0]],
  ['tree', 'the trees of the forest are old and very tall', [0, 1, 0]],
  ['café', 'un café crème à Paris s’il vous plaît monsieur', [0, 0, 1]],
  ['tokyo', '東京は日本の首都です', [0, 0, -1]],
]

async function notes(store: StartedStore<DatabaseClient, RecordOptions>): Promise<Find> {
  const database = await store.open({})
  for (const [key, text, vector] of NOTES)
    await database.write(
      'notes',
      key,
      { about: { text }, number: text.length, 'mandate:labels': ['hidden'] },
      { vector },
    )
  await database.write('other', 'o', { text: 'another dog' }, { vector: [0.9, 0.1, 0] })
  await database.write('other', 'flat', { text: 'two numbers' }, { vector: [1, 0] })
  return async (text, options) => (await database.search!(text, options)).map(({ key }) => key)
}

/** What a search finds, and in which order. */
export const searchCases: readonly Case[] = [
  {
    name: 'a search finds whole words and beginnings of words, in any case, with or without accents',
    async check(store, expect) {
      const find = await notes(store)
      expect(await find('FOX')).toEqual(['fox'])
      expect((await find('tree')).toSorted()).toEqual(['dog', 'tree'])
      expect(await find('forest tall')).toEqual(['tree'])
      expect(await find('cafe PLAIT')).toEqual(['café'])
      expect(await find('creme')).toEqual(['café'])
      expect(await find('京都')).toEqual(['tokyo'])
      expect(await find('ox')).toEqual([])
      expect(await find('jum')).toEqual(['fox'])
      expect(await find('ju')).toEqual([])
    },
  },
  {
    name: 'what holds more of the words comes first; names of members and labels are no words',
    async check(store, expect) {
      const find = await notes(store)
      expect((await find('lazy fox zebra tall'))[0]).toBe('fox')
      expect(await find('about')).toEqual([])
      expect(await find('labels hidden')).toEqual([])
      expect(await find('')).toEqual([])
      expect(await find('!?… "*" OR - ( NEAR:^')).toEqual([])
      expect(await find('fox\' OR 1=1 -- AND NOT "')).toEqual(await find('fox OR 1 1 AND NOT'))
      expect((await find('dog')).toSorted()).toEqual(['dog', 'fox', 'o'])
    },
  },
  {
    name: 'a search keeps to a collection, to a query and to a number of hits',
    async check(store, expect) {
      const find = await notes(store)
      expect(await find('dog', { collection: 'other' })).toEqual(['o'])
      expect(await find('dog', { collection: 'nowhere' })).toEqual([])
      expect((await find('dog', { topK: 2 })).length).toBe(2)
      expect(await find('dog', { topK: 0 })).toEqual([])
      expect(await find('dog', { query: { number: { $exists: false } } })).toEqual(['o'])
      expect(await find('', { vector: [1, 0, 0], topK: 1, query: { number: { $lt: 43 } } })).toEqual(['dog'])
      expect(await find('', { vector: [1, 0, 0], collection: 'other' })).toEqual(['o'])
    },
  },
  {
    name: 'a vector finds what is like it, whatever its length, and compares only with its kind',
    async check(store, expect) {
      const find = await notes(store)
      expect(await find('', { vector: [10, 0, 0], topK: 3 })).toEqual(['fox', 'o', 'dog'])
      expect((await find('', { vector: [0, 0, 0.1] }))[0]).toBe('café')
      expect((await find('', { vector: [0, 0, 0.1] })).at(-1)).toBe('tokyo')
      expect(await find('', { vector: [1, 0] })).toEqual(['flat'])
      expect(await find('', { vector: [1, 0, 0, 0] })).toEqual([])
      expect(await find('', { vector: new Float32Array([0, 1, 0]), minSimilarity: 0.9 })).toEqual(['tree'])
      for (const vector of [[], [0, 0, 0], [Number.NaN, 1, 1]])
        expect(await refusal(find('', { vector }))).toBe('INPUT_INVALID')
    },
  },
  {
    name: 'the nearest of a thousand are the nearest, as a plain comparison finds them',
    async check(store, expect) {
      const database = await store.open({})
      const vectorOf = (seed: number): number[] =>
        Array.from({ length: 16 }, (_, index) => Math.sin(seed * 12.9898 + index * 78.233))
      const entries = Array.from({ length: 1_000 }, (_, index) => ({
        key: `k${index}`,
        value: index,
        vector: vectorOf(index),
      }))
      await database.writeMany!('v', entries)
      const asked = vectorOf(5_000.5)
      const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector)
      const cosine = (vector: readonly number[]): number =>
        vector.reduce((sum, number, index) => sum + number * asked[index]!, 0) / lengthOf(vector) / lengthOf(asked)
      const wanted = entries.toSorted((a, b) => cosine(b.vector) - cosine(a.vector)).slice(0, 10)
      const hits = await database.search!('', { vector: asked, topK: 10 })
      expect(hits.map(({ key }) => key)).toEqual(wanted.map(({ key }) => key))
      expect(hits.every(({ similarity = 0 }, at) => Math.abs(similarity - cosine(wanted[at]!.vector)) < 1e-5)).toBe(
        true,
      )
    },
  },
  {
    name: 'with words and a vector the two rankings are joined: what both find comes first',
    async check(store, expect) {
      const find = await notes(store)
      expect((await find('dog', { vector: [0.7, 0.7, 0] }))[0]).toBe('dog')
      expect((await find('forest', { vector: [1, 0, 0] })).includes('tree')).toBe(true)
      expect((await find('zebra', { vector: [1, 0, 0] }))[0]).toBe('fox')
    },
  },
  {
    name: 'what was replaced or deleted is not found any more',
    async check(store, expect) {
      const database = await store.open({})
      await database.write('c', 'k', 'walrus', { vector: [1, 0] })
      await database.write('c', 'k', 'seal')
      expect(await database.search!('walrus')).toEqual([])
      expect(await database.search!('', { vector: [1, 0] })).toEqual([])
      expect((await database.search!('seal')).length).toBe(1)
      await database.write('c', 'k', 'otter', { vector: [0, 1] })
      await database.delete!('c', 'k')
      expect(await database.search!('otter', { vector: [0, 1] })).toEqual([])
    },
  },
]
