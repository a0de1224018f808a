import type { AgentService } from '../../agent/index.ts'
import { kernelOf } from '../../agent/index.ts'
import { MandateError, errorInfo } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import type { Call, Route } from '../http/route.ts'
import { SignedTexts } from '../http/signed-text.ts'
import { approvalPage, messagePage } from './approval-page.ts'
import type { ApprovalLinkOptions } from './options.ts'
import { signingKey } from './signature.ts'

const DAY_MS = 86_400_000
const FORM = 'application/x-www-form-urlencoded'

/** The content of a link. */
interface Grant {
  readonly id: string
  readonly hash: string
  readonly expiresAt: number
  readonly to: string
}

/** The request of a valid link, or the page that explains why the link is not valid. */
type Opened = { readonly grant: Grant; readonly request: ApprovalRequest } | { readonly page: Response }

/**
 * Links by which a person decides about one call. A link is signed, expires, and is bound to the hash of the call, so it is valid for this call only. A
 * request accepts one answer, so a link works once. Opening it changes nothing, because chat and mail programs open links automatically.
 */
export class ApprovalLinks {
  readonly #service: AgentService
  readonly #options: ApprovalLinkOptions
  readonly #tokens: SignedTexts<[id: string, hash: string, to: string]>
  readonly #now: () => number

  constructor(service: AgentService, options: ApprovalLinkOptions) {
    this.#service = service
    this.#options = options
    this.#tokens = new SignedTexts(signingKey(options.secret, '`links.secret`'), 'mandate approval link')
    const { clock } = kernelOf(service)
    this.#now = () => clock.now()
  }

  /** Returns the link for a request; `to` is the identity in whose name it is decided. */
  async link(request: Pick<ApprovalRequest, 'id' | 'hash' | 'expiresAt'>, to = 'approval-link'): Promise<string> {
    const { url, expiresMs = DAY_MS } = this.#options
    const expiresAt = Math.min(request.expiresAt, this.#now() + expiresMs)
    const token = await this.#tokens.make([request.id, request.hash, to], expiresAt)
    return `${url.replace(/\/$/, '')}/approve/${token}`
  }

  routes(): readonly Route[] {
    const parts = { path: '/approve/{token}', tag: 'webhooks', access: 'public' } as const
    const answer = { status: 200, type: 'text/html' }
    return [
      {
        ...parts,
        method: 'GET',
        summary: 'Shows the call that an approval link is about. It decides nothing.',
        answer,
        handle: (call) => this.#show(call),
      },
      {
        ...parts,
        method: 'POST',
        summary: 'Decides about the call of an approval link: `decision` is `approve` or `reject`.',
        raw: true,
        answer,
        handle: (call) => this.#decide(call),
      },
    ]
  }

  async #show({ params }: Call): Promise<Response> {
    const opened = await this.#open(params['token']!)
    return 'page' in opened ? opened.page : approvalPage(opened.request, opened.grant.expiresAt)
  }

  async #decide({ params, request, bytes }: Call): Promise<Response> {
    const opened = await this.#open(params['token']!)
    if ('page' in opened) return opened.page
    const isForm = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase() === FORM
    const form = new URLSearchParams(isForm ? new TextDecoder().decode(bytes) : '')
    const decision = form.get('decision')
    const reason = form.get('reason')?.trim().slice(0, 2_000) || undefined
    if (decision !== 'approve' && decision !== 'reject')
      return messagePage(400, 'Nothing was decided', 'The form did not say whether the call is approved or rejected.')
    const { grant } = opened
    const service = this.#service.as(this.#identity(grant))
    try {
      if (decision === 'reject') await service.reject(grant.id, reason)
      else await service.approve(grant.id, { hash: grant.hash, ...(reason === undefined ? {} : { reason }) })
    } catch (error) {
      return refused(error)
    }
    const done = decision === 'approve' ? 'approved' : 'rejected'
    return messagePage(200, `The call was ${done}`, 'You can close this page.')
  }

  #identity({ to }: Grant): Identity {
    return { id: to, roles: this.#options.roles }
  }

  async #open(token: string): Promise<Opened> {
    const grant = await this.#read(token)
    if (grant === undefined)
      return { page: messagePage(403, 'This link is not valid', 'It is incomplete, or was not made here.') }
    if (grant.expiresAt <= this.#now())
      return { page: messagePage(410, 'This link has expired', 'Ask for a new one, or decide elsewhere.') }
    const service = this.#service.as(this.#identity(grant))
    const request = await service.approval(grant.id)
    if (request === undefined || request.hash !== grant.hash)
      return { page: messagePage(404, 'There is nothing to decide', 'The call of this link is not there any more.') }
    const open = await service.approvals(request.run)
    if (!open.some(({ id }) => id === grant.id))
      return { page: messagePage(410, 'This was decided already', 'A link works once.') }
    return { grant, request }
  }

  async #read(token: string): Promise<Grant | undefined> {
    const signed = await this.#tokens.read(token)
    if (signed === undefined) return undefined
    const [id, hash, to] = signed.value
    return { id, hash, to, expiresAt: signed.expiresAt }
  }
}

function refused(error: unknown): Response {
  if (!MandateError.isInstance(error)) throw error
  const { code, message } = errorInfo(error)
  if (code === 'APPROVAL_STALE' || code === 'RUN_STATE' || code === 'EXPIRED')
    return messagePage(410, 'This was decided already', 'A link works once.')
  if (code === 'DENIED') return messagePage(403, 'This link may not decide this', message)
  throw error
}
