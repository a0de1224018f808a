import type { Part } from '../message.ts'

/** How the answer of a model is brought into the form of a JSON Schema. */
type AnswerForm =
  /** The provider enforces schemas whose objects are closed and complete; others are sent as not strict, and told in the prompt. */
  | 'strict'
  /** The same, but there is no way to say that a schema is not strict: such a schema is only told in the prompt. */
  | 'strict-only'
  /** The package of the provider enforces the schema or tells it to the model. */
  | 'package'
  /** Depends on the server: the schema is told in the prompt, and enforced where the model says that it can. */
  | 'server'

/** What the requests to one provider must keep. Limits change often: they are data, with the day on which they were read. */
export interface ProviderRules {
  /** Names of tools: the characters that are allowed, at the beginning and later, and how many. */
  readonly toolName: RegExp
  readonly toolNameMax: number
  /** How many tools one request may have, where that is known. */
  readonly toolsMax?: number | undefined
  /** Names that the package of the provider uses for tools of its own. */
  readonly reserved?: readonly string[] | undefined
  /** Ids of calls; others are replaced by a hash of the same form. */
  readonly callId?: RegExp | undefined
  readonly callIdMax?: number | undefined
  /** Whether the first message after the instructions must be the user's. */
  readonly beginsWithUser?: boolean | undefined
  /** Whether instructions are accepted only before the first other message. */
  readonly systemFirst?: boolean | undefined
  /** Whether a message of the user may not follow results of tools directly. */
  readonly replyAfterTools?: boolean | undefined
  readonly answer: AnswerForm
  /** Whether any schema is taken for the input of a tool, also one that is no object. */
  readonly anySchema?: boolean | undefined
  /** The provider's own name in `providerOptions`, for `strictJsonSchema` and for what comes with its parts. */
  readonly options: readonly string[]
  /** Where this was read; `docs/models.md` has the details. */
  readonly source: string
}

const SAFE = /^[a-zA-Z0-9_-]+$/
const GOOGLE = /^[a-zA-Z_][a-zA-Z0-9_.-]*$/

const OPENAI: ProviderRules = {
  toolName: SAFE,
  toolNameMax: 64,
  toolsMax: 128,
  callId: /^[^]+$/,
  callIdMax: 40,
  answer: 'strict',
  options: ['openai'],
  source:
    'Structured Outputs: supported schemas; microsoft/vscode#243602; langchain-ai/langchainjs#9804; Portkey-AI/gateway#1062',
}

/** The rules of each provider, by the first part of the name that its models give themselves. Read on 2026-11-19. */
export const PROVIDER_RULES: { readonly [family: string]: ProviderRules } = {
  openai: OPENAI,
  'azure-openai': { ...OPENAI, options: ['azure', 'openai'], source: 'as OpenAI' },
  anthropic: {
    toolName: SAFE,
    toolNameMax: 64,
    reserved: ['json'],
    callId: SAFE,
    callIdMax: 64,
    beginsWithUser: true,
    answer: 'package',
    options: ['anthropic'],
    source:
      'anthropics/claude-code#96152; modelcontextprotocol#1345; mobile-next/mobile-mcp#344; anthropics/claude-code#1237',
  },
  google: {
    toolName: GOOGLE,
    toolNameMax: 63,
    reserved: ['json'],
    beginsWithUser: true,
    answer: 'package',
    options: ['google', 'vertex'],
    source: 'js-genai FunctionDeclaration; google-gemini/gemini-cli#9535; python-genai#2170',
  },
  'amazon-bedrock': {
    toolName: SAFE,
    toolNameMax: 64,
    reserved: ['json'],
    callId: SAFE,
    callIdMax: 64,
    beginsWithUser: true,
    systemFirst: true,
    answer: 'package',
    options: ['bedrock', 'amazonBedrock'],
    source: 'AWS API_runtime_ToolSpecification, API_runtime_ToolUseBlockStart; NousResearch/hermes-agent#55092',
  },
  mistral: {
    toolName: SAFE,
    toolNameMax: 64,
    callId: /^[a-zA-Z0-9]{9}$/,
    callIdMax: 9,
    beginsWithUser: true,
    systemFirst: true,
    replyAfterTools: true,
    answer: 'package',
    options: ['mistral'],
    source: 'anomalyco/opencode#1680; NousResearch/hermes-agent#20154',
  },
  deepseek: {
    toolName: SAFE,
    toolNameMax: 64,
    toolsMax: 128,
    answer: 'package',
    options: ['deepseek'],
    source: 'mrexodia/ida-pro-mcp#129; api-docs.deepseek.com tool_calls',
  },
  xai: {
    toolName: SAFE,
    toolNameMax: 64,
    answer: 'strict-only',
    options: ['xai'],
    source: 'as OpenAI, unconfirmed; @ai-sdk/xai sends every schema as strict',
  },
}

/** Servers with the chat API of OpenAI, local ones above all: their templates want one instruction, then user and model in turn. */
const COMPATIBLE: ProviderRules = {
  toolName: SAFE,
  toolNameMax: 64,
  beginsWithUser: true,
  systemFirst: true,
  answer: 'server',
  options: [],
  source: 'ggml-org/llama.cpp#19851; suitenumerique/conversations#197; lmstudio-bug-tracker#2403',
}

/** Whether a tool may have this name in a request. */
export function isToolName(name: string, { toolName, toolNameMax, reserved = [] }: ProviderRules): boolean {
  return toolName.test(name) && name.length <= toolNameMax && !reserved.includes(name)
}

/** Whether a call may have this id in a request. */
export function isCallId(id: string, { callId, callIdMax = Infinity }: ProviderRules): boolean {
  return callId?.test(id) !== false && id.length <= callIdMax
}

/** Whether another provider has made these thoughts: signatures are valid for their maker alone, and as text they would reach the model as its own. */
export function isForeignThought({ type, providerMetadata = {} }: Part, { options }: ProviderRules): boolean {
  if (type !== 'reasoning' || options.length === 0) return false
  const makers = Object.keys(providerMetadata).filter((name) => name !== 'mandate')
  return makers.length > 0 && !makers.some((name) => options.includes(name))
}

/** A provider that nothing is known about: names that all providers take, and everything else as it is given. */
const UNKNOWN: ProviderRules = {
  toolName: SAFE,
  toolNameMax: 64,
  answer: 'package',
  options: [],
  anySchema: true,
  source: 'the names that all of the above take',
}

/** The rules for the models of a provider: `openai.responses`, `anthropic.messages`, `ollama.chat`, …; `isCompatible` for servers with the chat API of OpenAI. */
export function rulesOf(api: string, isCompatible = false): ProviderRules {
  const [family = ''] = api.split('.')
  return PROVIDER_RULES[family] ?? (isCompatible ? { ...COMPATIBLE, options: [family] } : UNKNOWN)
}
