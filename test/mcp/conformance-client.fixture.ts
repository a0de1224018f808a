import { connectMcp } from 'mandate/mcp'
import type { Json, JsonObject } from '../../src/core/index.ts'
import type { ToolContext } from 'mandate/tool'

/** What the public conformance suite starts: connects to the address in its last argument and calls what it finds there. */
const url = process.argv.at(-1)!
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  toolCalls?: readonly { name: string; arguments: JsonObject }[]
}

const connection = await connectMcp(
  { url, timeoutMs: 20_000 },
  { name: 'c', elicit: async () => ({ action: 'accept', content: {} }) },
)
console.error(connection.tools.map(({ name }) => name).join(), JSON.stringify(connection.refused))
for (const tool of connection.tools) {
  const own = tool.name.slice('c__'.length)
  const planned = context.toolCalls?.filter(({ name }) => name === own).map((call) => call.arguments)
  for (const input of planned ?? [sampleOf(tool.inputSchema as JsonObject)]) await call(tool, withoutNull(input))
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
