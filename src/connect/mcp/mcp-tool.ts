import { type Json, type JsonObject, MandateError, sha256 } from '../../core/index.ts'
import { type Tool, type ToolContext, type ValidationResult, defineTool } from '../../tool/index.ts'
import { type RawResult, resultOf } from './content.ts'
import { type Definition, type Definitions, withoutPatterns } from './definition.ts'
import type { Progress } from './link.ts'
import type { McpServer } from './server-config.ts'
import type { Session } from './session.ts'

interface McpToolParts {
  readonly name: string
  readonly server: McpServer
  readonly session: Session
  readonly definition: Definition
  /** The pinned hash, by the host or the first listing. */
  readonly pin: string
}

const TIMEOUT_MS = 30_000
const RESULT_BYTES = 100_000
const NAME_MAX = 64
const PROGRESS_MAX = 1_000

/** Creates the tool for one tool of a server: its name has the server's as prefix, its description names the server and the hash of the definition. */
export function mcpTool({ name, server, session, definition, pin }: McpToolParts): Tool {
  const { timeoutMs = TIMEOUT_MS, maxResultBytes = RESULT_BYTES } = server
  const own = definition.name
  const toolName = namespaced(name, own)
  const check = checkOf(definition.inputSchema, toolName)
  const checkOutput = definition.outputSchema === undefined ? undefined : outputCheck(definition.outputSchema, toolName)
  const drift = new Drift(own, pin)
  return defineTool({
    name: toolName,
    description:
      `[MCP server "${name}", definition ${definition.hash.slice(0, 16)}; the text is the server's] ${definition.description}`.trim(),
    inputSchema: definition.inputSchema,
    validate: check,
    risk: hostRisk(server, own) ?? definition.risk,
    isForeign: hostRisk(server, own) === undefined,
    safeByDefault: false,
    idempotent: server.idempotent?.includes(own) === true,
    // Longer than the timeout of the call, which can notify the server and has a more specific message.
    timeoutMs: timeoutMs + 1_000,
    maxResultBytes,
    labels: ['untrusted:mcp', `source:mcp:${name}`],
    needsApproval: () => drift.asks(session.known),
    async run(input: Json, ctx: ToolContext) {
      const raw = await session.call(own, input as JsonObject, {
        signal: ctx.signal,
        timeoutMs,
        onProgress: progressTo(ctx),
        traceparent: ctx.traceparent,
        check: (definitions) => drift.check(definitions, name),
      })
      if (checkOutput !== undefined && raw.isError !== true) await checkOutput(raw)
      return resultOf(raw, toolName)
    },
  })
}

/** `server__tool`, in 64 characters: a longer name is shortened and made unique by its hash. */
function namespaced(server: string, tool: string): string {
  const whole = `${server}__${tool}`
  return whole.length <= NAME_MAX ? whole : `${whole.slice(0, NAME_MAX - 9)}_${sha256(whole).slice(0, 8)}`
}

/** Detects whether a tool differs from its pinned definition. A changed one is called only after the gate has required approval of the current definition. */
class Drift {
  readonly #tool: string
  readonly #pin: string
  #asked: string | undefined

  constructor(tool: string, pin: string) {
    this.#tool = tool
    this.#pin = pin
  }

  asks({ usable }: Definitions): boolean {
    const now = usable.get(this.#tool)?.hash
    if (now === undefined || now === this.#pin) return false
    this.#asked = now
    return true
  }

  check({ usable, refused }: Definitions, server: string): void {
    const now = usable.get(this.#tool)?.hash
    if (now === this.#pin || (now !== undefined && now === this.#asked)) return
    if (now !== undefined)
      throw new MandateError(
        'APPROVAL_REQUIRED',
        `MCP server "${server}" changed the definition of "${this.#tool}" (${this.#pin.slice(0, 16)} is now ${now.slice(0, 16)}). Nothing was called. The next call asks for approval; connect again to take the new definition.`,
        { info: { pinned: this.#pin, now } },
      )
    const reason = refused.find((one) => one.name === this.#tool)?.reason
    throw new MandateError(
      'TOOL_UNKNOWN',
      `MCP server "${server}" no longer offers "${this.#tool}"${reason === undefined ? '' : `: ${reason}`}.`,
    )
  }
}

function hostRisk(server: McpServer, tool: string): Tool['risk'] {
  return Object.hasOwn(server.risk ?? {}, tool) ? server.risk![tool] : undefined
}

function progressTo(ctx: ToolContext): (progress: Progress) => void {
  let count = 0
  return ({ progress, total, message }) => {
    if (++count > PROGRESS_MAX) return
    const known = { progress, ...(total === undefined ? {} : { total }) }
    ctx.emit('tool-progress', message === undefined ? known : { ...known, message: message.slice(0, 500) })
  }
}

type Check = (input: Json) => Promise<ValidationResult>

/** A schema that cannot be compiled refuses every input: it comes from an untrusted server. */
function checkOf(schema: JsonObject, tool: string): Check {
  const inputSchema = { jsonSchema: withoutPatterns(schema) }
  const checker = defineTool({ name: tool, inputSchema, run: () => null })
  return async (input) => {
    try {
      return await checker.validate(input)
    } catch (error) {
      const message = MandateError.isInstance(error) ? error.message : 'its schema cannot be used'
      return { valid: false, issues: [{ path: '', message }] }
    }
  }
}

/** Validates structured content by the output schema. A schema that does not describe an object is wrapped in one. */
function outputCheck(schema: JsonObject, tool: string): (raw: RawResult) => Promise<void> {
  const isObject = schema['type'] === 'object'
  const { $defs = {}, definitions = {}, ...inner } = schema
  const used = isObject
    ? schema
    : { type: 'object', properties: { value: inner }, required: ['value'], $defs, definitions }
  const check = checkOf(used, tool)
  return async ({ structuredContent }) => {
    if (structuredContent === undefined)
      throw new MandateError(
        'OUTPUT_INVALID',
        `"${tool}" declares an output schema, but returned no structured content.`,
      )
    const value = structuredContent as Json
    const result = await check(isObject ? value : { value })
    if (result.valid) return
    const issues = result.issues.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    throw new MandateError(
      'OUTPUT_INVALID',
      `"${tool}" gave what its output schema does not allow: ${issues.join('; ')}`,
    )
  }
}
