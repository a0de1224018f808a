import { sha256 } from '../../core/index.ts'
import type { ModelRequest } from '../model.ts'
import type { Message, Part } from '../message.ts'
import { isToolName } from './rules.ts'
import type { ProviderRules } from './rules.ts'

/** The names under which a provider knows the tools of a request, and back. */
export class ToolNames {
  readonly #rules: ProviderRules
  readonly #sent = new Map<string, string>()
  readonly #own = new Map<string, string>()

  constructor(names: Iterable<string>, rules: ProviderRules, taken: readonly string[] = []) {
    this.#rules = rules
    for (const name of taken) this.#keep(name, name)
    const own = [...new Set(names)].filter((name) => !this.#sent.has(name))
    // Names that are allowed keep themselves, whatever the others would become.
    const refused = own.filter((name) => !isToolName(name, rules) || !this.#keep(name, name))
    for (const name of refused) this.#keep(name, this.#wireName(name))
  }

  /** Whether every tool is known to the provider by its own name. */
  get areSame(): boolean {
    return [...this.#sent].every(([name, sent]) => name === sent)
  }

  sent(name: string): string {
    return this.#sent.get(name) ?? name
  }

  /** The tool that the model means. Some models write the namespace of OpenAI's format in front of the name. */
  own(sent: string): string {
    const name = this.#own.get(sent)
    if (name !== undefined) return name
    return (sent.startsWith('functions.') ? this.#own.get(sent.slice('functions.'.length)) : undefined) ?? sent
  }

  #keep(name: string, sent: string): boolean {
    if (this.#own.has(sent)) return false
    this.#own.set(sent, name)
    this.#sent.set(name, sent)
    return true
  }

  /** `context.search` becomes `context__search`; a hash is added where that is too long, reserved or taken. */
  #wireName(name: string): string {
    const plain = name.replaceAll('.', '__').replaceAll(/[^a-zA-Z0-9_-]/gu, '_')
    const first = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`
    if (isToolName(first, this.#rules) && !this.#own.has(first)) return first
    const hash = sha256(name).slice(0, 8)
    return `${first.slice(0, this.#rules.toolNameMax - hash.length - 1)}_${hash}`
  }
}

/** The names of all tools in a request: those that are offered, and those of earlier calls. */
export function toolNamesIn({ tools = [], messages }: ModelRequest): string[] {
  const names = tools.map(({ name }) => name)
  for (const { content } of messages)
    for (const part of content) if (part.type === 'tool-call' || part.type === 'tool-result') names.push(part.name)
  return names
}

/** The request with the names that the provider knows. */
export function withNames(request: ModelRequest, names: ToolNames): ModelRequest {
  if (names.areSame) return request
  const { tools, toolChoice } = request
  return {
    ...request,
    messages: request.messages.map((message) => renamed(message, names)),
    ...(tools === undefined ? {} : { tools: tools.map((tool) => ({ ...tool, name: names.sent(tool.name) })) }),
    ...(typeof toolChoice === 'object' ? { toolChoice: { tool: names.sent(toolChoice.tool) } } : {}),
  }
}

function renamed(message: Message, names: ToolNames): Message {
  const content = message.content.map((part): Part => {
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return part
    return { ...part, name: names.sent(part.name) }
  })
  return { ...message, content }
}
