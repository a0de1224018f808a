import type { Prompt } from '../../agent/index.ts'
import { MandateError, checkFields, checkName, checkNumbers, checkNeeded } from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'

/** A received delivery with a valid signature. */
export interface Delivery {
  /** The sender's id of the delivery. */
  readonly id: string
  /** The parsed body if it is a JSON object or list, otherwise text. */
  readonly body: Json
}

/** What a delivery brings to a waiting run: the answer to its question, a decision about a call, or a message for its agent. */
export type Wake =
  | { readonly run: string; readonly answer: Json }
  | { readonly run: string; readonly message: string }
  | { readonly approvalId: string; readonly decision: 'approve' | 'reject'; readonly reason?: string | undefined }

/** An external sender that starts or wakes runs. */
export interface IncomingHook {
  /** Its name in the path `POST /hooks/<name>`. */
  readonly name: string
  /** The shared signing secret: `whsec_` and base64, or a text of at least 24 characters. */
  readonly secret: string
  /** The identity in whose name it acts. */
  readonly identity: Identity
  /** The agent to run. */
  readonly agent?: string | undefined
  /** Returns the prompt of the agent; the body as text when absent. */
  readonly prompt?: ((delivery: Delivery) => Prompt) | undefined
  /** Used instead of `agent`: returns which run gets what, or `undefined` to ignore the delivery. */
  readonly wake?: ((delivery: Delivery) => Wake | undefined | Promise<Wake | undefined>) | undefined
}

/** The states of a run that are reported. */
export type RunNews = 'suspended' | 'completed' | 'failed' | 'cancelled'

/** An external receiver of notifications about runs. */
export interface OutgoingHook {
  readonly name: string
  /**
   * The address of the receiver. A host name that resolves to this machine or its network is refused (SSRF protection); such an IP address in the URL is
   * allowed.
   */
  readonly url: string
  readonly secret: string
  /** The states to report; all of them when absent. `suspended` concerns runs that wait for people. */
  readonly on?: readonly RunNews[] | undefined
  /** Reports only runs of these agents, programs and graphs. */
  readonly agents?: readonly string[] | undefined
  /** Adds the inputs of waiting calls, the output of runs and messages of errors, as the journal has them: redacted. */
  readonly content?: boolean | undefined
  /** The retries of failed deliveries: the number of attempts, and the first delay, which doubles up to an hour. 10 attempts and 2 s when absent. */
  readonly retry?: { readonly attempts?: number | undefined; readonly firstMs?: number | undefined } | undefined
}

/** Options of the links by which people without an account decide about calls. */
export interface ApprovalLinkOptions {
  /** The address under which people reach this server: `https://agents.example.com`. */
  readonly url: string
  readonly secret: string
  /** The roles of the person who opens a link; one of them needs the right to approve. */
  readonly roles: readonly string[]
  /** How long a link is valid; a day when absent, and never longer than the request. */
  readonly expiresMs?: number | undefined
}

/** Options of `webhooks`: which deliveries start or wake runs, and where notifications about runs are sent. */
export interface WebhookOptions {
  readonly incoming?: readonly IncomingHook[] | undefined
  readonly outgoing?: readonly OutgoingHook[] | undefined
  readonly links?: ApprovalLinkOptions | undefined
}

const OPTIONS: FieldNames<WebhookOptions> = { incoming: 'objects', outgoing: 'objects', links: 'object' }
const INCOMING: FieldNames<IncomingHook> = {
  name: 'text',
  secret: 'text',
  identity: true,
  agent: 'text',
  prompt: 'function',
  wake: 'function',
}
const OUTGOING: FieldNames<OutgoingHook> = {
  name: 'text',
  url: 'text',
  secret: 'text',
  on: true,
  agents: 'texts',
  content: 'flag',
  retry: 'object',
}
const LINKS: FieldNames<ApprovalLinkOptions> = { url: 'text', secret: 'text', roles: 'texts', expiresMs: true }
const NEWS: readonly RunNews[] = ['suspended', 'completed', 'failed', 'cancelled']
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Refuses invalid options. */
export function checkWebhookOptions(options: WebhookOptions): void {
  checkNeeded(options, 'an option of `webhooks`', OPTIONS)
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
  // The type is checked as well, because callers may use JavaScript.
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.hash !== '')
    throw invalid(`${what} is no address of a web server. Give one such as "https://hooks.example.com/x"`)
}

function invalid(what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `${what}.`)
}
