import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Agent } from 'mandate'
import type { Json } from 'mandate'
import { kv } from 'mandate/connect'
import type { KvOptions } from '../../src/connect/kv.ts'
import { inMemoryDatabase } from 'mandate/memory'
import type { DatabaseClient } from 'mandate/memory'
import { sqliteDatabase } from 'mandate/sqlite'
import { scripted } from 'mandate/testing'
import { defineTool } from 'mandate/tool'
import type { Tool, ToolContext } from 'mandate/tool'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly expect: string
}

const ids = readCorpus<Case>('tools')
  .filter(({ category }) => category === 'kv')
  .map(({ id }) => id)

type Call = (name: string, input: Json, context?: Partial<ToolContext>) => Promise<Json>

function sqlite(): DatabaseClient {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-kv-'))
  const database = sqliteDatabase({ path: join(folder, 'kv.db') })
  onTestFinished(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  return database
}

const stores: Record<string, () => KvOptions> = {
  'a map': () => ({ store: new Map() }),
  'a database in memory': () => ({ store: inMemoryDatabase() }),
  'a database in SQLite': () => ({ store: sqlite() }),
}

/** Calls a tool the way a run does: validated first; what is refused is told as "error". */
function caller(options: KvOptions): Call {
  const tools = new Map(kv(options).map((tool): [string, Tool] => [tool.name, tool]))
  return async (name, input, context = {}) => {
    const tool = tools.get(name)!
    const checked = await tool.validate(input)
    if (!checked.valid) return 'error'
    try {
      return (await tool.run(checked.value, context as ToolContext)) as Json
    } catch {
      return 'error'
    }
  }
}

const MISSING = { found: false, value: null }

const checks: Record<string, (call: Call, options: KvOptions) => Promise<void>> = {
  async 'tool-kv-01'(call) {
    expect(await call('kv_get', { key: '__proto__' })).toEqual(MISSING)
  },
  async 'tool-kv-04'(call, { store }) {
    if (store !== undefined && !(store instanceof Map)) await store.write('other', 'secret', { value: 1 })
    for (const key of ['../other/secret', 'other/secret', 'other\u0000secret'])
      expect(await call('kv_get', { key })).toEqual(MISSING)
  },
  async 'tool-kv-07'(call) {
    expect(await call('kv_set', { key: 'k'.repeat(1_000_000), value: 1 })).toBe('error')
  },
  async 'tool-kv-08'(call) {
    expect(await call('kv_set', { key: 'k', value: 'x'.repeat(100_000_000) })).toBe('error')
    expect(await call('kv_get', { key: 'k' })).toEqual(MISSING)
  },
  async 'tool-kv-09'(call, { store }) {
    if (store !== undefined && !(store instanceof Map)) await store.write('other', 'theirs', { value: 1 })
    await call('kv_set', { key: 'own', value: 1 })
    expect(await call('kv_list', { prefix: '' })).toEqual({ keys: ['own'], more: false })
  },
  async 'tool-kv-12'(call) {
    await call('kv_set', { key: 'e\u0301', value: 1 })
    expect(await call('kv_get', { key: '\u00e9' })).toEqual({ found: true, value: 1 })
  },
  async 'tool-kv-13'(call) {
    expect(await call('kv_set', { key: ['a'], value: 1 })).toBe('error')
  },
  async 'tool-kv-14'(call) {
    const race = Array.from({ length: 100 }, (_, value) => call('kv_swap', { key: 'k', value }))
    const winners = (await Promise.all(race)).filter((answer) => (answer as { stored: boolean }).stored)
    expect(winners).toHaveLength(1)
    const { value } = (await call('kv_get', { key: 'k' })) as { value: number }
    const second = Array.from({ length: 100 }, (_, next) =>
      call('kv_swap', { key: 'k', expected: value, value: 100 + next }),
    )
    expect((await Promise.all(second)).filter((answer) => (answer as { stored: boolean }).stored)).toHaveLength(1)
    expect(await call('kv_swap', { key: 'k', expected: 'what nobody stored', value: 0 })).toEqual({ stored: false })
  },
  async 'tool-kv-15'(call) {
    for (const ttlSeconds of [-1, 0]) expect(await call('kv_set', { key: 'k', value: 1, ttlSeconds })).toBe('error')
    expect(await call('kv_set', { key: 'k', value: 1, ttl: -1 })).toBe('error')
  },
  async 'tool-kv-16'(call) {
    expect(await call('kv_set', { key: 'k', value: 1, ttlSeconds: null })).toBe('error')
    expect(await call('kv_get', { key: 'k' })).toEqual(MISSING)
  },
  async 'tool-kv-17'(call) {
    await call('kv_set', { key: 'k', value: 'from the web' }, { labels: ['untrusted:web'] })
    const seen: string[] = []
    await call('kv_get', { key: 'k' }, { addLabels: (labels) => void seen.push(...labels) })
    expect(seen).toEqual(['untrusted:web'])
  },
}

test('every case of the corpus is checked', () => {
  expect(Object.keys(checks)).toEqual(ids)
})

describe.each(Object.keys(stores))('%s', (name) => {
  test.each(ids)('%s', async (id) => {
    expect.hasAssertions()
    const options = stores[name]!()
    await checks[id]!(caller(options), options)
  })

  test('keys and times of our own: what is text is kept as it is and leads nowhere else, the rest is refused', async () => {
    const call = caller(stores[name]!())
    const own = readOwn<Case & { readonly input: { readonly [name: string]: Json } }>('tools')
    const cases = own.filter(({ category }) => category === 'kv')
    expect(cases.length).toBeGreaterThan(60)
    for (const { id, input, expect: wanted } of cases) {
      if (wanted === 'error') expect([id, await call('kv_set', { value: id, ...input })]).toEqual([id, 'error'])
      else {
        expect([id, await call('kv_get', input)]).toEqual([id, MISSING])
        await call('kv_set', { value: id, ...input })
        expect([id, await call('kv_get', input)]).toEqual([id, { found: true, value: id }])
      }
    }
    const { keys } = (await call('kv_list', { prefix: '' })) as { keys: string[] }
    expect(keys).toHaveLength(cases.filter((one) => one.expect === 'round trip').length)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

test('in a run, what was stored with a label comes back with it, in a later run too', async () => {
  const tools = kv({ store: inMemoryDatabase() })
  const sent: unknown[] = []
  const web = defineTool({ name: 'fetch_page', labels: ['untrusted:web'], risk: 'read', run: () => 'hello' })
  const send = defineTool({ name: 'send', risk: 'write', safeByDefault: true, run: (input) => sent.push(input) })
  const mandate = { flow: [{ id: 'no-web', sink: 'send', forbid: ['untrusted:*'] }] }
  const says = (...names: string[]): Agent => {
    const turns = names.map((name) => ({
      toolCalls: [
        {
          name,
          input: name === 'kv_set' ? { key: 'page', value: 'hello' } : name === 'kv_get' ? { key: 'page' } : {},
        },
      ],
    }))
    return new Agent({ tools: [web, send, ...tools], mandate, model: scripted([...turns, { text: 'done' }]) })
  }
  expect((await says('send').run('Send.')).status).toBe('completed')
  expect(sent).toHaveLength(1)
  expect((await says('fetch_page', 'kv_set').run('Keep the page.')).status).toBe('completed')
  const later = await says('kv_get', 'send').run('Send what was on the page.')
  expect(later.actions.map(({ toolId, performed }) => [toolId, performed])).toEqual([
    ['kv_get', true],
    ['send', false],
  ])
  expect(sent).toHaveLength(1)
})
