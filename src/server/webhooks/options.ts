import type { Prompt } from '../../agent/index.ts'
import { MandateError, checkFields, checkName, checkNumbers } from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'

/** What came in: its signature was right. */
export interface Delivery {
  /** The sender's id of it. */
  readonly id: string
  /** JSON where it is JSON, else text. */
  readonly body: Json
}

/** What a delivery brings to a run that waits: the answer to its question, a decision about a call, or a message for its agent. */
export type Wake =
  | { readonly run: string; readonly answer: Json }
  | { readonly run: string; readonly message: string }
  | { readonly approvalId: string; readonly decision: 'approve' | 'reject'; readonly reason?: string | undefined }

/** Something outside that starts runs, or wakes them. */
export interface IncomingHook {
  /** It is reached at `POST /hooks/<name>`. */
  readonly name: string
  /** What both sides sign with: `whsec_` and base64, or a text of at least 24 characters. */
  readonly secret: string
  /** In whose name it acts. */
  readonly identity: Identity
  /** The agent that is run. */
  readonly agent?: string | undefined
  /** What the agent is asked; the body as text when absent. */
  readonly prompt?: ((delivery: Delivery) => Prompt) | undefined
  /** Instead of `agent`: which run gets what. Nothing for deliveries that mean nothing here. */
  readonly wake?: ((delivery: Delivery) => Wake | undefined | Promise<Wake | undefined>) | undefined
}

/** What can be told to others. */
export type RunNews = 'suspended' | 'completed' | 'failed' | 'cancelled'

/** Somewhere outside that is told of runs. */
export interface OutgoingHook {
  readonly name: string
  /** Where it is told. A name that leads to this machine or its network is refused; an address that is given as such is not. */
  readonly url: string
  readonly secret: string
  /** All of them when absent. `suspended` are runs that wait for people. */
  readonly on?: readonly RunNews[] | undefined
  /** Only runs of these agents, programs and graphs. */
  readonly agents?: readonly string[] | undefined
  /** Adds the inputs of calls that wait, and the output of runs, as the journal has them: redacted. */
  readonly content?: boolean | undefined
  /** Deliveries that fail are repeated: so often, after a first wait that doubles up to an hour. 10 attempts and 2 s when absent. */
  readonly retry?: { readonly attempts?: number | undefined; readonly firstMs?: number | undefined } | undefined
}

/** Links by which people decide about calls without an account here. */
export interface ApprovalLinkOptions {
  /** Where people reach this server: `https://agents.example.com`. */
  readonly url: string
  readonly secret: string
  /** The roles of whoever opens a link: they need the right to approve. */
  readonly roles: readonly string[]
  /** How long a link works; a day when absent, and never longer than the request. */
  readonly expiresMs?: number | undefined
}

/** Which deliveries start or wake runs, and where news of runs goes. */
export interface WebhookOptions {
  readonly incoming?: readonly IncomingHook[] | undefined
  readonly outgoing?: readonly OutgoingHook[] | undefined
  readonly links?: ApprovalLinkOptions | undefined
}

const OPTIONS: FieldNames<WebhookOptions> = { incoming: true, outgoing: true, links: true }
const INCOMING: FieldNames<IncomingHook> = {
  name: true,
  secret: true,
  identity: true,
  agent: true,
  prompt: true,
  wake: true,
}
const OUTGOING: FieldNames<OutgoingHook> = {
  name: true,
  url: true,
  secret: true,
  on: true,
  agents: true,
  content: true,
  retry: true,
}
const LINKS: FieldNames<ApprovalLinkOptions> = { url: true, secret: true, roles: true, expiresMs: true }
const NEWS: readonly RunNews[] = ['suspended', 'completed', 'failed', 'cancelled']
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Refuses what cannot be meant. */
export function checkWebhookOptions(options: WebhookOptions): void {
  checkFields(options, 'an option of `webhooks`', OPTIONS)
  const { incoming = [], outgoing = [], links } = options
  for (const hook of incoming) checkIncoming(hook)
  for (const hook of outgoing) checkOutgoing(hook)
  for (const hooks of [incoming, outgoing]) checkNames(hooks.map(({ name }) => name))
  if (links === undefined) return
  checkFields(links, 'a field of `links`', LINKS)
  checkNumbers(links, 'a field of `links`', { expiresMs: 'amount+' })
  checkUrl(links.url, '`links.url`')
  if (!Array.isArray(links.roles) || links.roles.length === 0)
    throw invalid('`links.roles` names no role. Give one that has the right to approve')
}

function checkIncoming(hook: IncomingHook): void {
  checkFields(hook, 'a field of an incoming webhook', INCOMING)
  checkIdentity(hook.identity, '`identity` of an incoming webhook')
  if ((hook.agent === undefined) === (hook.wake === undefined))
    throw invalid(`The webhook "${hook.name}" needs either \`agent\` or \`wake\``)
  if (hook.wake !== undefined && hook.prompt !== undefined)
    throw invalid(`\`prompt\` of the webhook "${hook.name}" has no effect beside \`wake\`. Leave it out`)
}

function checkOutgoing(hook: OutgoingHook): void {
  checkFields(hook, 'a field of an outgoing webhook', OUTGOING)
  checkUrl(hook.url, `\`url\` of the webhook "${hook.name}"`)
  checkFields(hook.retry, 'a field of `retry`', { attempts: true, firstMs: true })
  checkNumbers(hook.retry, 'a field of `retry`', { attempts: 'count+', firstMs: 'amount+' })
  const unknown = hook.on?.find((news) => !NEWS.includes(news))
  if (unknown !== undefined) throw invalid(`\`on\` holds ${JSON.stringify(unknown)}. Use some of: ${NEWS.join(', ')}`)
}

function checkNames(names: readonly string[]): void {
  for (const name of names) {
    checkName(name, 'The name of a webhook')
    if (!NAME.test(name))
      throw invalid(`"${name}" is no name of a webhook. Use lower-case letters, digits, "-" and "_"`)
  }
  if (new Set(names).size < names.length) throw invalid('Two webhooks have the same name. Give each its own')
}

function checkUrl(url: string, what: string): void {
  // Options come from JavaScript, too.
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.hash !== '')
    throw invalid(`${what} is no address of a web server. Give one such as "https://hooks.example.com/x"`)
}

function invalid(what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `${what}.`)
}
