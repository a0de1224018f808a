import type { ModelRequest, ToolChoice } from '../../model.ts'
import { promptOf } from './prompt.ts'
import type { AiSdkCallOptions, AiSdkProviderOptions, AiSdkProviderTool, AiSdkSettings, SpecVersion } from '../spec.ts'

interface CallSetup {
  readonly version: SpecVersion
  readonly provider: string
  readonly api: string
  readonly modalities?: readonly string[] | undefined
  readonly settings?: AiSdkSettings | undefined
  readonly providerTools?: { readonly [name: string]: AiSdkProviderTool } | undefined
}

/** The options of a call. Those of the request override the settings that are sent with every call. */
export function callOptions(request: ModelRequest, setup: CallSetup, signal: AbortSignal): AiSdkCallOptions {
  const { maxOutputTokens, temperature, seed, responseFormat } = request
  const tools = toolsOf(request, setup)
  const providerOptions = mergeOptions(setup.settings?.providerOptions, request.providerOptions)
  return {
    ...setup.settings,
    prompt: promptOf(request.messages, setup, setup.provider),
    abortSignal: signal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || request.toolChoice === undefined ? {} : { toolChoice: choiceOf(request.toolChoice) }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

/** A tool of the provider replaces one of this package with the same name, in the provider's own form. */
function toolsOf(
  { tools = [] }: ModelRequest,
  { version, providerTools = {} }: CallSetup,
): { type: string; name: string }[] {
  const own = tools
    .filter(({ name }) => !Object.hasOwn(providerTools, name))
    .map((tool) => ({ type: 'function', ...tool }))
  const type = version === 'v2' ? 'provider-defined' : 'provider'
  const theirs = Object.entries(providerTools).map(([name, { id, args }]) => ({ type, id, name, args: args ?? {} }))
  return [...own, ...theirs]
}

function choiceOf(choice: ToolChoice): { type: string; toolName?: string } {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool }
}

function mergeOptions(
  always: AiSdkProviderOptions | undefined,
  now: ModelRequest['providerOptions'],
): AiSdkProviderOptions | undefined {
  if (always === undefined || now === undefined) return always ?? now
  const merged: AiSdkProviderOptions = { ...always }
  for (const [provider, options] of Object.entries(now)) merged[provider] = { ...always[provider], ...options }
  return merged
}
