import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { MandateError, errorInfo, newId } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { carryOut, describe } from './call.ts'
import { CONTINUE } from './tool-names.ts'
import type { Caller, Work } from './call.ts'
import { failure } from './content.ts'
import type { Offer } from './offer.ts'
import type { McpServerOptions } from './options.ts'
import { addPrompts } from './prompts.ts'
import { protocol } from './protocol.ts'
import type {
  McpServer,
  ClientCapabilities,
  JsonSchemaType,
  RequestStateCodec,
  ServerContext,
  jsonSchemaValidator,
} from './protocol.ts'
import { addResources, addSubscriptions, canWatch } from './resources.ts'

interface InstanceParts {
  readonly options: McpServerOptions
  readonly offers: ReadonlyMap<string, Offer>
  readonly codec: RequestStateCodec
  /** Returns whether the client has disconnected. Absent where an abort always means that the call was cancelled. */
  readonly isGone?: (() => boolean) | undefined
}

/** The gate checks inputs, so that refused calls are journaled too; form answers are validated where they are read. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Creates an MCP server for one caller: for a connection, a session or a request. */
export async function instanceFor(parts: InstanceParts, identity: Identity): Promise<McpServer> {
  const { options, offers, codec, isGone } = parts
  const { service, name = 'mandate', version = '1', instructions } = options
  const server = new protocol.McpServer(
    { name, version },
    {
      capabilities: capabilitiesOf(options),
      ...(instructions === undefined ? {} : { instructions }),
      jsonSchemaValidator: UNCHECKED,
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  )
  const callerIn = (context: ServerContext): Caller => ({
    ...{ service, identity, codec, isGone },
    canAsk: capabilitiesIn(server, context)?.elicitation !== undefined,
  })
  for (const offer of offers.values()) addTool(server, offer, callerIn)
  if (offers.size > 0) addContinue(server, { service, offers, callerIn })
  await addPrompts(server, options.prompts)
  addResources(server, options.resources)
  addSubscriptions(server, options.resources)
  options.extend?.(server, (value, context) => codec.mint(value, context))
  return server
}

function capabilitiesOf({ prompts, resources }: McpServerOptions): JsonObject {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(prompts === undefined ? {} : { prompts: {}, completions: {} }),
    ...(resources === undefined ? {} : { resources: canWatch(resources) ? { subscribe: true } : {} }),
  }
}

/** Returns the capabilities of the client. The newest revision sends them with each request, older ones once at the start. */
function capabilitiesIn(server: McpServer, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const said = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined
  return said?.[protocol.CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()
}

function addTool(server: McpServer, offer: Offer, callerIn: (context: ServerContext) => Caller): void {
  const { name, description, risk, isIdempotent } = offer
  server.registerTool(
    name,
    {
      ...(description === '' ? {} : { description }),
      inputSchema: protocol.fromJsonSchema<JsonObject>(offer.inputSchema as JsonSchemaType, UNCHECKED),
      annotations: {
        ...(risk === undefined ? {} : { readOnlyHint: risk === 'read', destructiveHint: risk === 'destructive' }),
        ...(isIdempotent === true ? { idempotentHint: true } : {}),
      },
    },
    (input, context) => {
      const caller = callerIn(context)
      const { clock, random } = kernelOf(caller.service)
      const runId = newId('run', clock, random)
      return carryOut({ tool: name, offer, runId, begin: (begin) => offer.start(input, begin) }, caller, context)
    },
  )
}

interface Continuing {
  readonly service: AgentService
  readonly offers: ReadonlyMap<string, Offer>
  readonly callerIn: (context: ServerContext) => Caller
}

/**
 * Adds the tool that continues a run which waited for another person. It requires that this server offers the mind of the run and that the caller may
 * continue it.
 */
function addContinue(server: McpServer, { service, offers, callerIn }: Continuing): void {
  const inputSchema: JsonObject = {
    type: 'object',
    properties: { runId: { type: 'string', description: 'The id of the run, as the waiting call gave it.' } },
    required: ['runId'],
    additionalProperties: false,
  }
  server.registerTool(
    CONTINUE,
    {
      description: 'Goes on with a run that waited for an approval or an answer, and gives its result.',
      inputSchema: protocol.fromJsonSchema<JsonObject>(inputSchema as JsonSchemaType, UNCHECKED),
    },
    async (input, context) => {
      try {
        const caller = callerIn(context)
        const { offer, runId } = await behindRun(service, offers, { runId: input['runId'], by: caller.identity })
        const begin: Work['begin'] = (given) => offer.resume(given)
        return await carryOut({ tool: CONTINUE, offer, runId, begin }, caller, context)
      } catch (error) {
        return failure(describe(error))
      }
    },
  )
}

async function behindRun(
  service: AgentService,
  offers: ReadonlyMap<string, Offer>,
  { runId, by }: { readonly runId: unknown; readonly by: Identity },
): Promise<{ readonly offer: Offer; readonly runId: string }> {
  const id = typeof runId === 'string' ? runId : ''
  const summary = id === '' ? undefined : await service.journal.summary(id)
  const offer = [...offers.values()].find(({ mind }) => mind.kind === summary?.mind && mind.name === summary.name)
  // The runs of others cause the same error as runs that do not exist, so an id alone reveals nothing.
  const isTheirs = offer !== undefined && (await mayContinue(service, id, by))
  if (isTheirs) return { offer, runId: id }
  throw new MandateError('NOT_FOUND', `There is no run ${JSON.stringify(id)} of a tool of this server.`)
}

/** Returns whether an identity started the run or may read journals. */
async function mayContinue(service: AgentService, runId: string, by: Identity): Promise<boolean> {
  try {
    await kernelOf(service).authorize(by, 'read-journal', runId)
    return true
  } catch (error) {
    if (errorInfo(error).code === 'DENIED') return false
    throw error
  }
}
