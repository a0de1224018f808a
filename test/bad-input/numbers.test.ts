import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { CALLS } from './option-calls.ts'
import { numbersOf } from './option-interfaces.ts'

const folder = mkdtempSync(join(tmpdir(), 'mandate-numbers-'))
const postgres = { url: 'postgres://127.0.0.1:1/none' }
const redis = { url: 'redis://127.0.0.1:1/0' }
const sqlite = { path: join(folder, 'numbers.db') }
const agent = { id: 'a', model: scripted(['Done.']) }

/** What a call needs besides the number that is tried, by the type of its options or by its name. */
const REST: Readonly<Record<string, object>> = {
  AgentConfig: agent,
  DocumentsOptions: { database: inMemoryDatabase() },
  FileToolOptions: { root: folder },
  MemoryToolsOptions: { database: inMemoryDatabase() },
  OnDemandOptions: { config: agent, owner: { id: 'ana', roles: ['owner'] } },
  "Omit<OnDemandOptions, 'owner'>": { config: agent },
  PostgresDataOptions: postgres,
  PostgresOptions: postgres,
  RedisCountersOptions: redis,
  RedisDataOptions: redis,
  RedisOptions: redis,
  RetainOptions: { keepRuns: 1, now: 1 },
  ShellOptions: { root: folder, allow: ['ls'] },
  SqlToolOptions: { database: {} },
  SqliteDataOptions: sqlite,
  SqliteJournalOptions: sqlite,
}

/** Numbers for which infinity has a meaning: there is no limit. */
const ENDLESS =
  /^(?:Budget|DataClients|openStore|databaseOver|inMemory\w*|memoryOver|memoryStore|postgres\w+|redis\w+|sqlite\w+)\b/

/** Numbers that are measured, not counted: times, money, fuel, scores and probabilities. */
const MEASURED =
  /Ms$|^(?:money|fuel|temperature|costCeiling|minSimilarity|maxSeconds|updatedBefore|wakeBefore|now|at|since|atLeast)$/
const PROBABLE = 'FaultPlan'

/** Tools of other frameworks leave a fact out by `null`. */
const NULLABLE = /DefineOptions|ToolDefinition/

/** Numbers that may be below zero. */
const SIGNED = new Set(['minSimilarity', 'turns'])

/** Takers whose options have no interface that can be read here, each with its reason. */
const UNREAD: Readonly<Record<string, string>> = {
  'LoopAgent.constructor: CompatAgentConfig': 'a composed type: Agent.constructor checks the same fields',
  'connectMcp: McpServer': 'one of two shapes, which have no numbers',
}

const rows = Object.keys(CALLS)
  .filter((taker) => UNREAD[taker] === undefined)
  .flatMap((taker) => numbersOf(taker.split(/: (.*)/)[1]!).map((field) => [taker, field] as const))

test.each(rows)('%s: `%s` refuses what is no such number, and names itself', async (taker, field) => {
  const [name, type] = taker.split(/: (.*)/) as [string, string]
  const rest = REST[type] ?? {}
  const values: Readonly<Record<string, unknown>> = {
    NaN: Number.NaN,
    'minus infinity': Number.NEGATIVE_INFINITY,
    'a text': '5',
    ...(NULLABLE.test(type) ? {} : { null: null }),
    ...(SIGNED.has(field) ? {} : { 'a negative number': -1 }),
    ...(ENDLESS.test(name) ? {} : { infinity: Number.POSITIVE_INFINITY }),
    ...(MEASURED.test(field) || type === PROBABLE ? {} : { 'a fraction': 1.5 }),
  }
  for (const [what, value] of Object.entries(values)) {
    const call = async (): Promise<unknown> => CALLS[taker]!({ ...rest, [field]: value } as never)
    const error: unknown = await call().then(
      () => new Error(`${what} was taken`),
      (thrown: unknown) => thrown,
    )
    expect(error, what).toMatchObject({
      code: expect.stringMatching(/^(?:CONFIG|INPUT)_INVALID$/) as string,
      message: expect.stringContaining(field) as string,
    })
  }
})
