import { expect, test } from 'vitest'
import { checkMandate } from 'mandate/gate'
import * as mcp from 'mandate/mcp'
import { CALLS } from './option-calls.ts'
import { fieldsOf, misspelt, optionTakers } from './option-interfaces.ts'

/** Takers that need no check, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'checkRunFilter: RunFilter': 'is the check itself, of which every list of runs has a call below',
  'page: RunFilter': 'takes a filter that its store has checked',
  'PostgresLink.constructor: LinkOptions': 'made by `linkOptions` alone, which has checked them',
  'putGraph: RegisterGraphOptions':
    'called by rooms of this package alone, after `registerGraph` or a review has checked them',
  'engineSettings: DbosEngineOptions': 'called after `dbosEngine` or the command has checked them',
  'plainTools: ToolSpec': 'no options: the tools themselves',
  'ConversationStore.list: ConversationFilter': 'a contract that stores implement',
  'CellSession.run: CellOptions': 'called by the room of cells alone',
  'convertSchema: ConvertOptions': 'called by the room itself alone',
  'AiSdkEmbeddingModel.doEmbed: AiSdkEmbedOptions': 'a contract of the AI SDK that others implement',
  'AiSdkLanguageModel.doGenerate: AiSdkCallOptions': 'a contract of the AI SDK that others implement',
  'AiSdkLanguageModel.doStream: AiSdkCallOptions': 'a contract of the AI SDK that others implement',
  'Budget.allotment: BudgetLimits': 'computes limits from limits that the constructor has checked',
  'Journal.acquire: AcquireOptions': 'the store contract: called by the kernel alone',
  'Journal.list: RunFilter': 'the store contract: Kernel.list and AgentService.runs check what callers give',
  'Journal.read: ReadOptions': 'the store contract: called by the kernel alone',
  'JournalWriter.constructor: WriterOptions': 'made by the kernel alone',
  'LlmCapability.chat: CallOptions': 'a contract that users implement',
  'LlmCapability.vision: CallOptions': 'a contract that users implement',
  'LlmClient.call: LlmCallOptions': 'a contract that users implement',
  'LlmClient.stream: LlmCallOptions': 'a contract that users implement',
  'RecordPort.scan: ScanFilter': 'a contract that stores implement',
  'Runner.run: AgentSpec': 'a contract that users implement',
  'Selection.constructor: DatabaseQueryOptions': 'DatabaseClient.query has checked them',
  'SessionParts.start: RunOptions': 'given to a session by its service',
  'agentMind: AgentSpec': 'readConfig has made it',
  'checkResponse: ApprovalResponse': 'Kernel.respond has checked it',
  'clientOptions: DataClientOptions': 'picks the fields of a client out of options that were checked',
  'matches: RunFilter': 'a predicate for stores: Kernel.list has checked the filter',
  'mcpServerHash: McpServer': 'a hash over whatever the server is: connectMcp checks it',
  'promptClientOptions: PromptClientOptions': 'picks the fields of a client out of options that were checked',
  'readAll: ReadOptions': 'hands them to Journal.read',
  'readPolicy: Policy': 'definePolicy checks it',
  'withAuthority: VerifyOptions': 'verify has checked them',
  'withSignature: VerifyOptions': 'verify and verifyExport have checked them',
}

test('every public taker of options is called below, or exempt with a reason', () => {
  const known = [...Object.keys(CALLS), ...Object.keys(EXEMPT)]
  expect(optionTakers().filter((taker) => !known.includes(taker))).toEqual([])
  expect(Object.keys(EXEMPT).filter((taker) => !optionTakers().includes(taker))).toEqual([])
})

/** Composite types: which fields a taker has beside those of the type it names. */
const MORE: Readonly<Record<string, string>> = {
  sqliteMemory: 'DataClientOptions',
  postgresMemory: 'DataClientOptions',
  postgresDatabase: 'DataClientOptions',
  postgresPrompts: 'PromptClientOptions',
  redisMemory: 'DataClientOptions',
  redisDatabase: 'DataClientOptions',
  redisPrompts: 'PromptClientOptions',
  sqliteDatabase: 'DataClientOptions',
  sqlitePrompts: 'PromptClientOptions',
}
/** `McpServer` is one of two; the stdio server is the one called above. */
const NAMED: Readonly<Record<string, string>> = {
  CompatAgentConfig: 'AgentConfig',
  McpServer: 'McpStdioServer',
  CompileOptions: 'CompileOptions',
}

test.each(Object.keys(CALLS))('%s refuses every misspelt name, and says which was meant', async (taker) => {
  const [name, type] = taker.split(/: (.*)/) as [string, string]
  const fields = [...fieldsOf(NAMED[type] ?? type), ...(MORE[name] === undefined ? [] : fieldsOf(MORE[name]))]
  expect(fields).not.toEqual([])
  for (const field of fields) {
    const wrong = misspelt(field)
    const call = async (): Promise<unknown> => CALLS[taker]!({ [wrong]: undefined } as never)
    const error: unknown = await call().then(
      () => new Error(`\`${wrong}\` was taken`),
      (thrown: unknown) => thrown,
    )
    expect(String(error)).toContain(wrong)
    expect(error).toMatchObject({ code: expect.stringMatching(/^(?:CONFIG|INPUT)_INVALID$/) as string })
  }
})

test.each(['mandate', 'rules', 'flow', 'rates', 'content', 'overseer'])(
  'a mandate refuses misspelt names in %s',
  (part) => {
    const wrong: Readonly<Record<string, object>> = {
      mandate: { alow: ['x'] },
      rules: { rules: [{ id: 'r', when: 'true', then: 'deny', reson: 'x' }] },
      flow: { flow: [{ id: 'f', sink: 'x', lables: ['pii'], then: 'deny' }] },
      rates: { rates: [{ tool: 'x', max: 1, perMs: 1, pre: 'run' }] },
      content: { content: [{ id: 'c', onn: ['prompt'], match: 'x', then: 'block' }] },
      overseer: { overseer: { maxToknes: 1 } },
    }
    expect(() => checkMandate(wrong[part])).toThrow(/alow|reson|lables|pre|onn|maxToknes/)
  },
)

test.each([
  ['{"mcpServer":{}}', 'mcpServer'],
  ['{"mcpServers":{},"inptus":[]}', 'inptus'],
  ...fieldsOf('McpStdioServer').map((field) => [
    JSON.stringify({ mcpServers: { s: { command: 'c', [misspelt(field)]: 1 } } }),
    misspelt(field),
  ]),
  ...fieldsOf('McpHttpServer').map((field) => [
    JSON.stringify({ mcpServers: { s: { url: 'https://x.example', [misspelt(field)]: 1 } } }),
    misspelt(field),
  ]),
] as [string, string][])('the configuration file %s is refused because of %s', (text, wrong) => {
  expect(() => mcp.readMcpConfig(text)).toThrow(wrong)
})

test('fields that other clients keep in the same file are left alone', () => {
  const text = '{"mcpServers":{"s":{"command":"c","alwaysAllow":["x"],"description":"d"}},"inputs":[]}'
  expect(mcp.readMcpConfig(text)).toEqual({ s: { command: 'c' } })
})
