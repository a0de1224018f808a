import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { MandateError } from '../../src/core/index.ts'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { shareOf } from '../rotation.ts'
import { NEEDED } from './option-bases.ts'
import { CALLS } from './option-calls.ts'
import { type Case, casesOf } from './option-cases.ts'
import { shapeOfTaker } from './option-shapes.ts'

/** Takers that hand their options on to another taker of the table, which checks what is inside. */
const HANDED_ON: Readonly<Record<string, string>> = {
  'checkConfig: AgentConfig': 'Agent.constructor reads the rest',
  'conversationToProviderRequest: AtlasOptions': 'Atlas.constructor reads the rest',
  'defineAgentType: AgentType': 'AgentService.register reads the configuration',
  'defineService: ServiceOptions': 'AgentService.constructor reads the rest',
  'withSettings: ServiceOptions': 'AgentService.constructor reads the rest',
  'testAgent: TestAgentOptions': 'Agent.run and AgentService.constructor read the rest',
}

/** Objects that are no options: content, records, and what others implement. Each has checks of its own, or is checked where it is used. */
const DATA: ReadonlySet<string> = new Set([
  ...['AiSdkSettings', 'AiSdkProviderTool', 'Message', 'SignedHead', 'RunStartData', 'ForkOrigin', 'ProviderRow'],
  ...['ScriptedReply', 'ScriptedFault', 'ScriptedHang', 'ScriptedCall', 'StandardSchema', 'SecretHandle', 'Head'],
  ...[
    'Resources',
    'MindPart',
    'Capabilities',
    'ChatAgent',
    'StoreCapability',
    'LlmCapability',
    'ModelSources',
    'ChatTool',
    'EvalSuite',
    'Interceptors',
  ],
])

const AGENT = { id: 'a', model: scripted(['Done.']) }

/** What a call needs besides the option that is tried, by the type of its options. */
const BASE: Readonly<Record<string, object>> = {
  ...NEEDED,
  ChatAgentOptions: AGENT,
  CompatAgentConfig: AGENT,
  HttpServerOptions: { tokens: [{ token: 'x'.repeat(40), identity: { id: 'ana', roles: ['owner'] } }] },
  McpHttpServer: {},
  ChainTeamOptions: { id: 't', members: ['a'] },
}

/** Where a type that occurs in several options is walked to its leaves: in the first of these that has it, and then in the order of the table. */
const FIRST = [
  'Agent.constructor: AgentConfig',
  'AgentService.constructor: ServiceOptions',
  'AgentService.run: RunOptions',
  'defineGraph: GraphOptions',
]

/** Valid values of fields and types that have a form of their own. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  AgentConfig: AGENT,
  Identity: { id: 'ana', roles: ['owner'] },
  'ContentRule.on': ['prompt'],
  ContentRule: { id: 'x', on: ['prompt'], words: ['x'], then: 'block' },
  FlowException: { at: '/x', values: ['x'] },
  FlowRule: { id: 'x', sink: 'model:*', forbid: ['untrusted:*'] },
  RevealRule: { id: 'x', sink: 'model:*', labels: ['secret:*'] },
  Rule: { id: 'x', when: {}, then: 'ask' },
  'Rule.when key': 'input.x',
  'Part.routes': [],
  DatabaseClient: inMemoryDatabase(),
}

/**
 * The places where a wrong value is not refused by its name yet, as `Type.field what`. What is not in this list must be refused, so a new option cannot
 * escape; what is in it and is refused must be taken out. Written anew by a run with MANDATE_UPDATE=1, in both modes.
 */
const LIST = join(import.meta.dirname, 'unchecked-options.txt')
const isUpdate = process.env['MANDATE_UPDATE'] === '1'
const listed = new Set(
  readFileSync(LIST, 'utf8')
    .split('\n')
    .filter((line) => line !== ''),
)
const found = new Set<string>()
const INVALID = /^(?:CONFIG|INPUT|SCHEMA|ID)_INVALID$/

async function refusalOf(taker: string, options: unknown): Promise<unknown> {
  try {
    const given = (await CALLS[taker]!(options as never)) as { readonly outcome?: Promise<unknown> } | undefined
    // The handle of a run: it is refused when it begins.
    await given?.outcome
    return undefined
  } catch (error) {
    return error
  }
}

/** Whether the wrong value is what is refused: by its name, or in other words than those that the valid value gets. */
async function isRefused(taker: string, { options, valid, name }: Case): Promise<boolean> {
  const error = await refusalOf(taker, options)
  if (!MandateError.isInstance(error) || !INVALID.test(error.code)) return false
  if (error.message.includes(name)) return true
  const other = await refusalOf(taker, valid)
  return !MandateError.isInstance(other) || other.message !== error.message
}

const walked = new Set(DATA)

/** The cases of every taker: all of its own options, and those inside them, each type once. */
const CASES: ReadonlyMap<string, readonly Case[]> = new Map(
  [...FIRST, ...Object.keys(CALLS).filter((taker) => !FIRST.includes(taker))].map((taker) => {
    const base = BASE[taker.split(/: (.*)/)[1]!] ?? {}
    const shape = shapeOfTaker(taker)
    const own = shape.kind === 'object' ? shape.name : ''
    const data = new Set([...walked].filter((name) => name !== own))
    const all = casesOf(shape, { base, samples: SAMPLES, data })
    if (HANDED_ON[taker] !== undefined) return [taker, all.filter(({ place }) => !place.includes('.'))]
    for (const { types } of all) for (const name of types) walked.add(name)
    return [taker, all]
  }),
)

const takers = shareOf([...CASES.keys()], 5)

test.each(takers)('%s refuses a misspelt name and a value of a wrong kind wherever they are', async (taker) => {
  const escaped: string[] = []
  for (const each of CASES.get(taker)!) {
    const line = `${taker} > ${each.place}: ${each.what}`
    if (await isRefused(taker, each)) continue
    found.add(line)
    if (!listed.has(line)) escaped.push(line)
  }
  expect(isUpdate ? [] : escaped).toEqual([])
})

/** The lines of the takers that the other mode tries. */
const kept = (): readonly string[] => [...listed].filter((line) => !takers.includes(line.split(' > ')[0]!))

afterAll(() => {
  if (isUpdate) writeFileSync(LIST, `${[...kept(), ...found].toSorted().join('\n')}\n`)
})

test('what is listed as unchecked is still so', () => {
  const mended = [...listed].filter((line) => !found.has(line) && takers.includes(line.split(' > ')[0]!))
  expect(isUpdate ? [] : mended).toEqual([])
})
