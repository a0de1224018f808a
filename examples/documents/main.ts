// An agent that answers from a folder of markdown and says where each answer stands. The model is scripted and the embedding is a toy,
// so that this runs offline; put `fromAiSdkEmbedding(openai.embedding('text-embedding-3-small'))` and a real model in their places.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AgentService } from 'mandate'
import { documents } from 'mandate/connect'
import { memoryJournal } from 'mandate/journal'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'

const folder = join(import.meta.dirname, 'handbook')
const read = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ source: name, text: readFileSync(join(folder, name), 'utf8') }))

/** Words that mean about the same share a dimension. A real model has learnt these. */
const MEANINGS = [/holiday|vacation|days off/i, /ill|sick|doctor/i, /train|rail/i, /hotel|night|sleep/i]
let embedded = 0
const handbook = documents({
  database: inMemoryDatabase(), // or sqliteData({ path }).database()
  embed: async (texts) => {
    embedded += texts.length
    return texts.map((text) => MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0.01)))
  },
  // Comments come last. A reranking model would be called here.
  rerank: (_query, passages) => passages.toSorted((a, b) => rank(a.heading) - rank(b.heading)),
})
const rank = (heading: readonly string[]): number => (heading.at(-1) === 'Comments' ? 1 : 0)

console.log('indexed: ', await handbook.index(read(), { prune: true }))
const before = embedded
const again = await handbook.index(read(), { prune: true })
assert.equal(again.added, 0)
assert.equal(embedded, before)
console.log('again:   ', again)

const [best] = await handbook.search('How many holidays do I get?', { limit: 1 })
assert.equal(best?.source, 'leave.md')
console.log(`search:   ${best.source}, line ${best.line}, ${best.heading.join(' > ')}`)

const service = new AgentService({
  journal: memoryJournal(),
  agents: [
    {
      id: 'clerk',
      instructions: 'You answer questions about the handbook, and cite it.',
      tools: [handbook.tool({ about: 'the handbook of the company' })],
      model: scripted([
        { toolCalls: [{ name: 'search_documents', input: { query: 'price of a hotel', limit: 2 } }] },
        'Up to 140 euros a night [travel.md:9].',
      ]),
    },
  ],
})
const result = await service.run('clerk', 'What may a hotel cost?')
const [search] = result.actions
assert.ok(search?.ok)
const { passages } = search.output as { passages: { number: number; cite: string; heading: string; text: string }[] }
for (const { number, cite, heading } of passages) console.log(`passage:  ${number}. ${cite} (${heading})`)
assert.equal(passages[0]?.cite, 'travel.md:9')
assert.ok(result.text.includes(passages[0].cite))
console.log(`answer:   ${result.text}`)

// The search is in the journal: a replay asks neither the database nor the embedding model.
const asked = embedded
assert.equal((await service.replay(result.id)).identical, true)
assert.equal(embedded, asked)
await service.stop()
