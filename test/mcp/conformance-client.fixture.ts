import type { McpAuthorization } from '../../src/connect/mcp/link.ts'
import { connectMcp } from 'mandate/mcp'
import type { Json, JsonObject } from '../../src/core/index.ts'
import type { ToolContext } from 'mandate/tool'

/** What the public conformance suite starts: connects to the address in its last argument and calls what it finds there. */
const url = process.argv.at(-1)!
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string
  client_secret?: string
  toolCalls?: readonly { name: string; arguments: JsonObject }[]
}

const connection = await connectMcp(
  { url, timeoutMs: 20_000 },
  { name: 'c', elicit: async () => ({ action: 'accept', content: {} }), authorization: authorization() },
)
console.error(connection.tools.map(({ name }) => name).join(), JSON.stringify(connection.refused))
for (const tool of connection.tools) {
  const own = tool.name.slice('c__'.length)
  const inputs = context.toolCalls?.filter(({ name }) => name === own).map((planned) => planned.arguments)
  if (own === 'json_schema_echo') {
    await call(tool, { schema: schemaOf('json_schema_2020_12_tool') })
    continue
  }
  for (const input of inputs ?? [sampleOf(tool.inputSchema as JsonObject)]) await call(tool, withoutNull(input))
}
await connection.close()

async function call(tool: (typeof connection.tools)[number], input: JsonObject): Promise<void> {
  const checked = await tool.validate(input)
  console.error(tool.name, JSON.stringify(input), checked.valid)
  if (!checked.valid) return
  const ctx = { signal: new AbortController().signal, emit: () => {} } as unknown as ToolContext
  try {
    console.error(JSON.stringify(await tool.run(checked.value, ctx)))
  } catch (error) {
    console.error(String(error))
  }
}

function schemaOf(name: string): Json {
  return connection.tools.find((tool) => tool.name === `c__${name}`)?.inputSchema ?? null
}

/** A person who agrees at once: the page of the suite sends back without asking. */
function authorization(): McpAuthorization {
  let client: StoredClient | undefined
  let tokens: Tokens | undefined
  let verifier = ''
  let returned = new URLSearchParams()
  const known =
    context.client_id === undefined ? undefined : { client_id: context.client_id, client_secret: context.client_secret }
  const provider: McpAuthorization['provider'] = {
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: {
      client_name: 'mandate',
      redirect_uris: ['http://localhost:3000/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => client ?? known,
    saveClientInformation: (information) => void (client = information),
    tokens: () => tokens,
    saveTokens: (given) => void (tokens = given),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    invalidateCredentials: (what) => {
      if (what === 'all' || what === 'client') client = undefined
      if (what === 'all' || what === 'tokens') tokens = undefined
    },
    async redirectToAuthorization(page) {
      const answer = await fetch(page, { redirect: 'manual' })
      returned = new URL(answer.headers.get('location')!).searchParams
    },
  }
  return { provider, allow: ({ hostname }) => hostname === 'localhost', callback: async () => returned }
}

type Provider = McpAuthorization['provider']
type StoredClient = Exclude<Awaited<ReturnType<Provider['clientInformation']>>, undefined>
type Tokens = Parameters<Provider['saveTokens']>[0]

/** Null is not among what the schemas of the suite allow; an argument that is not there is left out. */
function withoutNull(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** An input that a simple schema accepts. */
function sampleOf(schema: JsonObject): JsonObject {
  const properties = (schema['properties'] ?? {}) as { readonly [name: string]: JsonObject }
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.fromEntries(required.map((name) => [name, sampleValue(properties[name] ?? {})]))
}

function sampleValue(schema: JsonObject): Json {
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 3
    case 'boolean':
      return true
    case 'object':
      return sampleOf(schema)
    case 'array':
      return []
    default:
      return Array.isArray(schema['enum']) ? (schema['enum'][0] as Json) : 'text'
  }
}
