import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { MandateError, describeOutcome, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { Identity, MindKind, PendingItem } from '../../journal/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, RunOutcome } from '../../run/index.ts'
import { checkToolName } from '../../tool/index.ts'
import type { Risk, Tool } from '../../tool/index.ts'
import { registerProgram } from '../../vm/index.ts'
import { CONTINUE } from './tool-names.ts'
import type { McpServerOptions, OfferedAgent, OfferedProgram } from './options.ts'

/** The progress of a call. */
export type Progress =
  | { readonly state: 'done'; readonly value: Json }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'waiting'; readonly pending: readonly Pick<PendingItem, 'reason' | 'approvalId'>[] }

export interface Begin {
  readonly runId: string
  readonly identity: Identity
  readonly signal: AbortSignal
}

/** A tool that clients can call, independent of the mind that carries it out. */
export interface Offer {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** The mind that its runs execute. */
  readonly mind: { readonly kind: MindKind; readonly name: string }
  readonly risk?: Risk | undefined
  readonly isIdempotent?: boolean | undefined
  start(input: JsonObject, begin: Begin): Promise<Progress>
  /** Resumes a run that waited. */
  resume(begin: Begin): Promise<Progress>
}

/** Returns everything that is offered, by the name of its tool. */
export async function offersOf(options: McpServerOptions): Promise<ReadonlyMap<string, Offer>> {
  const { service, agents = [], programs = [], tools = [] } = options
  const offers = [
    ...agents.map((agent) => agentOffer(service, typeof agent === 'string' ? { id: agent } : agent, options)),
    ...(await Promise.all(programs.map((program) => programOffer(service, program, options.source)))),
    ...tools.map((name) => toolOffer(service, name)),
  ]
  const byName = new Map<string, Offer>()
  for (const offer of offers) {
    checkToolName(offer.name)
    if (offer.name === CONTINUE)
      throw new MandateError(
        'DUPLICATE',
        `"${CONTINUE}" is a tool of the server itself. Give what is offered under it another \`name\`.`,
      )
    if (byName.has(offer.name))
      throw new MandateError(
        'DUPLICATE',
        `Two things are offered as "${offer.name}". Give one of them another \`name\`.`,
      )
    byName.set(offer.name, offer)
  }
  return byName
}

const PROMPT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'What the agent is to do, in words.' } },
  required: ['prompt'],
  additionalProperties: false,
}

function agentOffer(service: AgentService, offered: OfferedAgent, { labels, source }: McpServerOptions): Offer {
  const spec = service.agent(offered.id)
  return {
    name: offered.name ?? offered.id,
    description: offered.description ?? spec.description,
    inputSchema: PROMPT_SCHEMA,
    mind: { kind: 'agent', name: offered.id },
    async start(input, { runId, identity, signal }) {
      const prompt = input['prompt']
      if (typeof prompt !== 'string' || prompt.trim() === '')
        return { state: 'failed', message: 'INPUT_INVALID: give `prompt`: what the agent is to do, in words.' }
      return progressOf(await service.run(offered.id, prompt, { runId, identity, signal, labels, source }))
    },
    async resume({ runId, identity, signal }) {
      return progressOf(await service.resume(runId, { identity, signal }))
    },
  }
}

function progressOf(result: Awaited<ReturnType<AgentService['run']>>): Progress {
  if (result.status === 'await_user') return { state: 'waiting', pending: result.pending }
  if (result.status === 'completed') return { state: 'done', value: result.result ?? result.text }
  const { code = 'RUN_FAILED', message = `The agent ended: ${result.status}.` } = result.error ?? {}
  return { state: 'failed', message: `${code}: ${message}` }
}

async function programOffer(
  service: AgentService,
  offered: OfferedProgram,
  source: string | undefined,
): Promise<Offer> {
  const { program, description, inputSchema, ...options } = offered
  const name = await registerProgram(service, program, options)
  const own = typeof program === 'string' ? undefined : (toPlain(program).value as JsonObject)['inputSchema']
  const schema = inputSchema ?? (own as JsonObject | undefined) ?? { type: 'object' }
  const output = (value: Json): Json => (value as { readonly result?: Json } | null)?.result ?? null
  return mindOffer(
    service,
    { name, output, source },
    { name: offered.name, description: description ?? '', inputSchema: schema },
  )
}

/** Offers a single tool through a mind that performs the one call and returns its outcome. */
function toolOffer(service: AgentService, name: string): Offer {
  const { registry } = kernelOf(service)
  const tool = registry.tools.get(name)
  if (tool === undefined)
    throw new MandateError(
      'NOT_FOUND',
      `The service has no tool "${name}". Register it with \`registerTool\`, or offer one of: ${[...registry.tools.keys()].join(', ') || 'none'}.`,
    )
  const mind = callMind(tool)
  registry.registerMind(mind, { override: true })
  return mindOffer(
    service,
    { name: mind.name, output: (value) => value },
    {
      name,
      description: tool.description ?? '',
      inputSchema: tool.inputSchema as JsonObject,
      risk: tool.risk,
      isIdempotent: tool.idempotent,
    },
  )
}

function callMind(tool: Tool): Mind {
  const intent = {
    toolName: tool.name,
    purpose: 'a client of the MCP server asked for this call',
    expectedOutcome: 'its result is given to that client',
    riskLevel: tool.risk ?? 'read',
  } as const
  return {
    kind: 'program',
    name: `mcp-call-${tool.name}`,
    async start(input, context) {
      const outcome = await context.perform({ kind: 'tool', name: tool.name, input, intent, origin: 'mcp' })
      if (outcome.status === 'ok') return outcome.value
      if (outcome.status === 'failed') throw new MindStop(outcome.error.code, outcome.error.message)
      throw new MindStop(outcome.status === 'denied' ? outcome.code : 'CANCELLED', describeOutcome(outcome))
    },
  }
}

interface Behind {
  readonly name: string
  readonly output: (value: Json) => Json
  readonly source?: string | undefined
}

/** Offers a mind that is registered with the kernel as a program. */
function mindOffer(service: AgentService, behind: Behind, about: Omit<Offer, 'start' | 'resume' | 'mind'>): Offer {
  const kernel = kernelOf(service)
  const read = (outcome: RunOutcome): Progress => {
    if (outcome.state === 'suspended') return { state: 'waiting', pending: outcome.pending }
    if (outcome.state === 'completed') return { state: 'done', value: behind.output(outcome.output) }
    if (outcome.state === 'cancelled') return { state: 'failed', message: `CANCELLED: ${outcome.reason}` }
    return { state: 'failed', message: `${outcome.error.code}: ${outcome.error.message}` }
  }
  return {
    ...about,
    mind: { kind: 'program', name: behind.name },
    async start(input, { runId, identity, signal }) {
      kernel.check(identity, 'run-agent', { mind: 'program', name: behind.name })
      const handle = kernel.begin({ kind: 'program', name: behind.name, input, runId, identity, source: behind.source })
      return read(await cutBy(signal, () => handle.abort('cancelled by the client'), handle.outcome))
    },
    async resume({ runId, identity, signal }) {
      await kernel.authorize(identity, 'run-agent', runId)
      // Required because the result of the run is returned.
      await kernel.authorize(identity, 'read-journal', runId)
      const cut = (): void => void kernel.cancel(runId, 'cancelled by the client', identity).catch(() => {})
      return read(await cutBy(signal, cut, kernel.resume(runId)))
    },
  }
}

async function cutBy<T>(signal: AbortSignal, cut: () => void, outcome: Promise<T>): Promise<T> {
  if (signal.aborted) cut()
  signal.addEventListener('abort', cut, { once: true })
  try {
    return await outcome
  } finally {
    signal.removeEventListener('abort', cut)
  }
}
