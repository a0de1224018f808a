import type { AgentService } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import type { Part } from '../http/route.ts'
import { ApprovalLinks } from './approval-links.ts'
import { IncomingHooks } from './delivery-intake.ts'
import { checkWebhookOptions } from './options.ts'
import type { WebhookOptions } from './options.ts'
import { OutgoingHooks } from './run-deliveries.ts'

/** The webhooks of a service, as a part of an HTTP server. */
export interface Webhooks extends Part {
  /**
   * Returns a link by which a person decides about this call, in the name of `to`. Possession of the link permits the decision: send it to that person only.
   */
  approvalLink(request: ApprovalRequest, to?: string): Promise<string>
}

/**
 * Creates the webhooks of a service: signed deliveries that start or wake runs, signed notifications about runs that wait for people or have ended, and links
 * by which people decide about calls. Pass it to `httpServer` as one of its `parts`.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { httpServer, newToken, webhooks } from 'mandate/server'
 * const service = new AgentService({ agents: [{ id: 'support', model: scripted(['Solved.']) }] })
 * const hooks = webhooks(service, {
 *   incoming: [{ name: 'tickets', secret: newToken(), identity: { id: 'tickets', roles: ['owner'] }, agent: 'support' }],
 *   outgoing: [{ name: 'chat', url: 'https://chat.example.com/hook', secret: newToken(), on: ['suspended', 'failed'] }],
 *   links: { url: 'https://agents.example.com', secret: newToken(), roles: ['owner'] },
 * })
 * const tokens = [{ token: newToken(), identity: { id: 'ana', roles: ['owner'] } }]
 * const server = httpServer(service, { tokens, hosts: ['agents.example.com'], parts: [hooks] })
 * await server.close()
 * await service.stop()
 * ```
 */
export function webhooks(service: AgentService, options: WebhookOptions): Webhooks {
  checkWebhookOptions(options)
  const links = options.links === undefined ? undefined : new ApprovalLinks(service, options.links)
  const incoming = new IncomingHooks(service, options.incoming ?? [])
  const outgoing = new OutgoingHooks(service, options.outgoing ?? [], links && ((request) => links.link(request)))
  return {
    routes: [...incoming.routes(), ...(links?.routes() ?? [])],
    async approvalLink(request, to) {
      if (links === undefined)
        throw new MandateError('CONFIG_INVALID', 'There are no approval links here. Give `links` to `webhooks`.')
      return links.link(request, to)
    },
    close: () => outgoing.close(),
  }
}
