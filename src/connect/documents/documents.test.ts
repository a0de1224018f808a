import { expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { type DatabaseClient, inMemoryDatabase } from '../../memory/index.ts'
import { toolContext } from '../../../test/tools/tool-context.fixture.ts'
import { type DocumentsOptions, documents } from './documents.ts'
import type { SearchToolOptions } from './search-tool.ts'

/** Vectors by what a text speaks of. */
const TOPICS = [/tea|drink|cup/i, /tax|money|office/i, /cat|animal/i]
const vectorOf = (text: string): number[] => TOPICS.map((topic) => (topic.test(text) ? 1 : 0.01))

function library(given: Partial<DocumentsOptions> = {}) {
  const embedded: string[][] = []
  const database = inMemoryDatabase()
  const shelf = documents({
    database,
    embed: async (texts) => {
      embedded.push([...texts])
      return texts.map(vectorOf)
    },
    ...given,
  })
  return { shelf, database, embedded, stored: async () => (await database.query('documents', {})).length }
}

const guide = { source: 'guide.md', text: '# Drinks\n\nBoil water first.\n\n# Taxes\n\nPay in May.\n' }

test('what did not change is not embedded again, and what vanished is deleted', async () => {
  const { shelf, embedded, stored } = library()
  expect(await shelf.index([guide])).toEqual({ documents: 1, chunks: 2, added: 2, deleted: 0 })
  expect(embedded).toEqual([['Drinks\nBoil water first.', 'Taxes\nPay in May.']])
  expect(await shelf.index([guide])).toEqual({ documents: 1, chunks: 2, added: 0, deleted: 0 })
  expect(embedded).toHaveLength(1)

  const edited = { ...guide, text: guide.text.replace('May', 'June') }
  expect(await shelf.index([edited])).toEqual({ documents: 1, chunks: 2, added: 1, deleted: 1 })
  expect(embedded[1]).toEqual(['Taxes\nPay in June.'])
  expect(await stored()).toBe(2)
})

test('a passage that only moved is not embedded again, and is cited where it is now', async () => {
  const { shelf, embedded } = library()
  await shelf.index([guide])
  expect((await shelf.search('pay'))[0]).toMatchObject({ line: 7, endLine: 7, position: 2, heading: ['Taxes'] })
  await shelf.index([{ ...guide, text: `# New\n\nBegin\nhere.\n\n${guide.text}` }])
  expect(embedded.at(-1)).toEqual(['New\nBegin\nhere.'])
  expect((await shelf.search('pay'))[0]).toMatchObject({ line: 12, endLine: 12, position: 3 })
  expect((await shelf.search('begin'))[0]).toMatchObject({ line: 3, endLine: 4, position: 1 })
})

test('with `prune` documents that are not given are deleted; without it they stay', async () => {
  const { shelf, database, stored } = library()
  await shelf.index([guide, { source: 'b.md', text: 'Cats sleep.' }])
  await shelf.index([guide])
  expect(await stored()).toBe(3)
  expect(await shelf.index([guide], { prune: true })).toMatchObject({ deleted: 1 })
  expect(await stored()).toBe(2)
  expect(await shelf.index([{ ...guide, text: '' }])).toMatchObject({ chunks: 0, deleted: 2 })
  expect(await database.query('documents.sources', {})).toEqual([])
})

test('texts are embedded in batches, over the borders of documents', async () => {
  const { shelf, embedded } = library({ batchSize: 3 })
  async function* many() {
    for (let index = 0; index < 7; index++) yield { source: `${index}.txt`, text: `Text ${index}` }
  }
  expect(await shelf.index(many())).toMatchObject({ documents: 7, added: 7 })
  expect(embedded.map((batch) => batch.length)).toEqual([3, 3, 1])
})

test('a document that says the same thing twice keeps both, each at its own place', async () => {
  const { shelf } = library({ chunk: { by: 'paragraphs', size: 10 } })
  await shelf.index([{ source: 'a', text: 'Cats!\n\nCats!' }])
  expect((await shelf.search('cats')).map(({ line }) => line).toSorted((a, b) => a - b)).toEqual([1, 3])
})

test('after a failure at any write, the next call leaves exactly what one call would have left', async () => {
  const edited = { ...guide, text: guide.text.replace('May', 'June').replace('# Drinks', '# Hot drinks') }
  let failures = 0
  for (let failAt = 1; ; failAt++) {
    const database = inMemoryDatabase()
    let writes = 0
    let armed = false
    const faulty = new Proxy(database, {
      get(target, name: keyof DatabaseClient) {
        const member = target[name] as (...args: unknown[]) => Promise<unknown>
        if (!['write', 'writeMany', 'delete'].includes(name)) return member
        return async (...args: unknown[]) => {
          if (armed && ++writes === failAt) throw new Error('gone')
          return member(...args)
        }
      },
    })
    const shelf = documents({ database: faulty, embed: async (texts) => texts.map(vectorOf) })
    await shelf.index([guide])
    armed = true
    const first = await shelf.index([edited]).catch(() => 'failed')
    armed = false
    // Going back to the old text must not trust what was deleted meanwhile.
    await shelf.index([failAt % 2 === 0 ? guide : edited])
    const expected = failAt % 2 === 0 ? ['Boil water first.', 'Pay in May.'] : ['Boil water first.', 'Pay in June.']
    const stored = await database.query('documents', {})
    expect(stored.map(({ value }) => (value as { text: string }).text).toSorted()).toEqual(expected)
    expect(await shelf.search('water pay')).toHaveLength(2)
    if (first !== 'failed') break
    failures++
  }
  expect(failures).toBeGreaterThan(4)
})

test('another embedding model embeds everything again', async () => {
  const { shelf, database } = library()
  await shelf.index([guide])
  const model = {
    id: 'toy/one',
    provider: 'toy',
    modelId: 'one',
    embed: async ({ values }: { values: readonly string[] }) => ({
      embeddings: values.map(vectorOf),
      usage: { inputTokens: 1 },
      warnings: [],
    }),
  }
  expect(await documents({ database, embed: model }).index([guide])).toMatchObject({ added: 2, deleted: 2 })
})

test('passages are found by meaning, by words, and by words alone where nothing embeds', async () => {
  const pets = { source: 'pets.md', text: '# Pets\n\nThe cat sleeps all day.' }
  const { shelf } = library()
  await shelf.index([guide, pets])
  expect((await shelf.search('an animal', { limit: 1 }))[0]).toMatchObject({
    source: 'pets.md',
    similarity: expect.closeTo(1),
  })
  const plain = library({ embed: undefined })
  await plain.shelf.index([guide, pets])
  expect(await plain.shelf.search('an animal')).toEqual([])
  expect((await plain.shelf.search('sleeps'))[0]).toMatchObject({ source: 'pets.md', text: 'The cat sleeps all day.' })
  expect(await plain.shelf.search('  ')).toEqual([])
})

test('`rerank` sees more than was asked for and decides the order; what it makes up is refused', async () => {
  const pages = Array.from({ length: 8 }, (_, index) => ({ source: `p${index}`, text: `Tea number ${index}` }))
  const seen: number[] = []
  const { shelf } = library({
    rerank(query, passages) {
      seen.push(passages.length)
      if (query === 'tea forged') return [{ ...passages[0]!, source: 'elsewhere' }]
      return passages.toSorted((a, b) => (a.source < b.source ? 1 : -1))
    },
  })
  await shelf.index(pages)
  expect((await shelf.search('tea', { limit: 2 })).map(({ source }) => source)).toEqual(['p7', 'p6'])
  expect(seen).toEqual([8])
  await expect(shelf.search('tea forged')).rejects.toThrow('`rerank`')
})

async function call(given: Partial<DocumentsOptions>, input: Json, options: SearchToolOptions = {}) {
  const { shelf } = library(given)
  await shelf.index([
    { ...guide, metadata: { team: 'a' } },
    { source: 'secret.md', text: 'Pay the bribe.', metadata: { team: 'b' } },
  ])
  const tool = shelf.tool(options)
  const checked = await tool.validate(input)
  if (!checked.valid) throw new Error(JSON.stringify(checked.issues))
  return { tool, result: await tool.run(checked.value, toolContext()) }
}

test('the tool gives numbered passages with what to cite, labelled as untrusted', async () => {
  const { tool, result } = await call({ embed: undefined }, { query: 'pay may' })
  expect(tool).toMatchObject({ name: 'search_documents', risk: 'read', labels: ['untrusted:documents'] })
  expect((result as { passages: Json[] }).passages[0]).toEqual({
    number: 1,
    cite: 'guide.md:7',
    source: 'guide.md',
    position: 2,
    heading: 'Taxes',
    text: 'Pay in May.',
  })
  expect((await call({ labels: ['public'] }, { query: 'x' })).tool.labels).toEqual(['public'])
  expect((await call({}, { query: 'x' }, { name: 'search_handbook', about: 'the handbook' })).tool).toMatchObject({
    name: 'search_handbook',
    description: expect.stringContaining('(the handbook)'),
  })
})

test('a tool that is confined to some documents finds no others, whatever the model asks', async () => {
  const sources = ({ result }: { result: unknown }): string[] =>
    (result as { passages: { source: string }[] }).passages.map(({ source }) => source)
  const words = { embed: undefined }
  expect(sources(await call(words, { query: 'pay' })).toSorted()).toEqual(['guide.md', 'secret.md'])
  expect(sources(await call(words, { query: 'pay', source: 'secret.md' }))).toEqual(['secret.md'])
  for (const query of [{ 'metadata.team': 'a' }, { source: { $in: ['guide.md'] } }]) {
    expect(sources(await call(words, { query: 'pay' }, { query }))).toEqual(['guide.md'])
    expect(sources(await call(words, { query: 'pay', source: 'secret.md' }, { query }))).toEqual([])
  }
})

test('wrong documents, options and vectors are refused with what to give instead', async () => {
  const { shelf, database } = library()
  await expect(shelf.index([guide, guide])).rejects.toThrow('Two documents have the source "guide.md"')
  await expect(shelf.index([{ source: ' ', text: '' }])).rejects.toThrow('`source`')
  await expect(shelf.index([{ path: 'x', text: '' } as never])).rejects.toThrow('`path`')
  await expect(shelf.index([], { prunes: true } as never)).rejects.toThrow('Did you mean `prune`?')
  await expect(shelf.search('x', { limit: 0 })).rejects.toThrow('`limit`')
  await expect(documents({ database, embed: async () => [] }).index([guide])).rejects.toThrow('one vector for each')
  expect(() => documents({ database, embed: {} as never })).toThrow('`embed`')
  expect(() => documents({ database, chunks: 'markdown' } as never)).toThrow('Did you mean `chunk`?')
  const { search: _search, ...rest } = database
  expect(() => documents({ database: rest })).toThrow('`search`')
})
