import { checkFields, isRecord, parseJson } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { invalid } from './members.ts'

/** What a strategy reads of a message: one of a model's, or one of a chat's. */
interface RoutedMessage {
  readonly content: string | readonly { readonly type: string; readonly text?: unknown }[]
  readonly metadata?: { readonly [name: string]: unknown } | undefined
}

/** What a strategy reads of an agent. */
interface RoutedAgent {
  readonly id: string
  readonly description?: string | undefined
  /** Where agents of a chat have it. */
  readonly options?: { readonly description?: string | undefined } | undefined
}

/** Asks an agent something; a team gives one that asks in a run below its own. */
type AskAgent = (agentId: string, prompt: string) => Promise<string>

/** Says which of the agents a message is for; nothing where it cannot tell. */
export type RoutingStrategy = (
  message: RoutedMessage,
  agents: readonly RoutedAgent[],
  ask?: AskAgent,
) => string | undefined | Promise<string | undefined>

interface RoleOptions {
  /** Who gets what no word fits. */
  readonly otherwise?: string | undefined
}

const ROLE_OPTIONS: FieldNames<RoleOptions> = { otherwise: true }

/**
 * Chooses by words: the agent of which the most words stand in the message, the first one of equals. A message that begins with `@id` is for that agent.
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
  /** The agent that chooses. */
  readonly agent: string
  /** How it is asked, outside of a team: `async (id, prompt) => (await service.run(id, prompt)).text`. */
  readonly ask?: AskAgent | undefined
  /** Who gets what it gives no clear answer to. */
  readonly otherwise?: string | undefined
}

const SUPERVISOR_OPTIONS: FieldNames<SupervisorRouteOptions> = { agent: true, ask: true, otherwise: true }

/**
 * Lets an agent choose. It is told who there is and what they are good for, and answers with an id.
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

/** The one agent that an answer names. */
function idIn(answer: string, ids: readonly string[]): string | undefined {
  const text = answer.trim()
  const parsed = readJson(text)
  const said = isRecord(parsed) && typeof parsed['agent'] === 'string' ? parsed['agent'] : text
  if (ids.includes(said)) return said
  const words = said.split(/\s+/).map((word) => word.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, ''))
  const named = ids.filter((id) => words.includes(id))
  return named.length === 1 ? named[0] : undefined
}

/** The value of a JSON text; nothing where it is none. */
export function readJson(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}

/**
 * One agent after the other: the first gets what a user writes, and each next one what the one before it wrote, by `metadata.agentId` of the message.
 * After the last one there is nobody.
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

/** The words of a message. */
function messageText({ content }: RoutedMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('')
}

/** In small letters with single spaces around every word, so that whole words can be looked for. */
function spaced(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}
