import { checkFields, isRecord, parseJson } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { invalid } from './members.ts'

/** The fields that a strategy reads of a message: a model's, or a chat's. */
interface RoutedMessage {
  readonly content: string | readonly { readonly type: string; readonly text?: unknown }[]
  readonly metadata?: { readonly [name: string]: unknown } | undefined
}

/** The fields that a strategy reads of an agent. */
interface RoutedAgent {
  readonly id: string
  readonly description?: string | undefined
  /** Where agents of a chat have their description. */
  readonly options?: { readonly description?: string | undefined } | undefined
}

/** Asks an agent a question; in a team, this is a child run. */
type AskAgent = (agentId: string, prompt: string) => Promise<string>

/** Returns the id of the agent that a message is for; undefined if it cannot decide. */
export type RoutingStrategy = (
  message: RoutedMessage,
  agents: readonly RoutedAgent[],
  ask?: AskAgent,
) => string | undefined | Promise<string | undefined>

interface RoleOptions {
  /** The agent for messages that no word matches. */
  readonly otherwise?: string | undefined
}

const ROLE_OPTIONS: FieldNames<RoleOptions> = { otherwise: 'text' }

/**
 * Makes a strategy that routes by words: it chooses the agent with the most words in the message, the first one on a tie. A message that begins with `@id` goes
 * to that agent.
 *
 * @example
 * ```ts
 * import { routeByRole } from 'mandate/team'
 * const route = routeByRole({ billing: ['invoice', 'refund'], tech: ['crash', 'error'] }, { otherwise: 'tech' })
 * ```
 */
export function routeByRole(
  words: Readonly<Record<string, readonly string[]>>,
  options: RoleOptions = {},
): RoutingStrategy {
  checkFields(options, 'an option of `routeByRole`', ROLE_OPTIONS)
  const roles = Object.entries(words)
  const isGood = roles.length > 0 && roles.every(([, list]) => Array.isArray(list) && list.length > 0)
  if (!isGood) throw invalid('`routeByRole` needs the words of each agent, such as { billing: ["invoice"] }')
  return (message, agents) => {
    const text = messageText(message)
    const known = new Set(agents.map(({ id }) => id))
    const named = /^@([A-Za-z0-9._-]+)/.exec(text.trimStart())?.[1]
    if (named !== undefined && known.has(named)) return named
    const said = spaced(text)
    let best: string | undefined
    let most = 0
    for (const [id, list] of roles) {
      const count = list.filter((word) => said.includes(spaced(word))).length
      if (count > most && known.has(id)) [best, most] = [id, count]
    }
    return best ?? options.otherwise
  }
}

interface SupervisorRouteOptions {
  /** Id of the agent that chooses. */
  readonly agent: string
  /** How it is asked outside of a team: `async (id, prompt) => (await service.run(id, prompt)).text`. */
  readonly ask?: AskAgent | undefined
  /** The agent for messages on which it gives no clear answer. */
  readonly otherwise?: string | undefined
}

const SUPERVISOR_OPTIONS: FieldNames<SupervisorRouteOptions> = { agent: 'text', ask: 'function', otherwise: 'text' }

/**
 * Makes a strategy that lets an agent choose. Its prompt lists the agents with their descriptions; it answers with an id.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { routeBySupervisor } from 'mandate/team'
 * const service = new AgentService({ agents: [{ id: 'router', model: scripted(['billing']) }] })
 * const route = routeBySupervisor({ agent: 'router', ask: async (id, prompt) => (await service.run(id, prompt)).text })
 * ```
 */
export function routeBySupervisor(options: SupervisorRouteOptions): RoutingStrategy {
  checkFields(options, 'an option of `routeBySupervisor`', SUPERVISOR_OPTIONS)
  if (typeof options?.agent !== 'string') throw invalid('`routeBySupervisor` needs the id of the `agent` that chooses')
  return async (message, agents, given) => {
    const ask = given ?? options.ask
    if (ask === undefined) throw invalid('`routeBySupervisor` needs `ask` outside of a team: it runs the agent')
    const others = agents.filter(({ id }) => id !== options.agent)
    const list = others.map(({ id, description, options: chat }) => {
      const about = description ?? chat?.description ?? ''
      return about === '' ? `- ${id}` : `- ${id}: ${about}`
    })
    const prompt = `Who should answer this message?\n${list.join('\n')}\n\nMessage:\n${messageText(message)}\n\nAnswer with the name alone.`
    const ids = others.map(({ id }) => id)
    return idIn(await ask(options.agent, prompt), ids) ?? options.otherwise
  }
}

/** Returns the id that an answer names; undefined unless there is exactly one. */
function idIn(answer: string, ids: readonly string[]): string | undefined {
  const text = answer.trim()
  const parsed = readJson(text)
  const said = isRecord(parsed) && typeof parsed['agent'] === 'string' ? parsed['agent'] : text
  if (ids.includes(said)) return said
  const words = said.split(/\s+/).map((word) => word.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, ''))
  const named = ids.filter((id) => words.includes(id))
  return named.length === 1 ? named[0] : undefined
}

/** Parses JSON text; returns undefined if it is invalid. */
export function readJson(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}

/**
 * Makes a strategy that routes along a chain: the first agent gets the user's message, and each next one the message of the one before it, by
 * `metadata.agentId`. After the last one, it returns undefined.
 *
 * @example
 * ```ts
 * import { routeByChain } from 'mandate/team'
 * const next = routeByChain(['researcher', 'writer'])
 * const agents = [{ id: 'researcher' }, { id: 'writer' }]
 * console.log(await next({ content: 'Facts.', metadata: { agentId: 'researcher' } }, agents))
 * ```
 */
export function routeByChain(order: readonly string[]): RoutingStrategy {
  if (!Array.isArray(order) || order.length === 0) throw invalid('`routeByChain` needs the ids of agents, in order')
  return (message, agents) => {
    const known = order.filter((id) => agents.some((agent) => agent.id === id))
    const by = message.metadata?.['agentId']
    return typeof by === 'string' && known.includes(by) ? known[known.indexOf(by) + 1] : known[0]
  }
}

/** Returns the text of a message. */
function messageText({ content }: RoutedMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('')
}

/** Normalizes a text to lower case with single spaces around every word, for a search of whole words. */
function spaced(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}
