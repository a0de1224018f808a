import { MandateError, messageOf } from '../../core/index.ts'
import type { WakeUp } from './outbox.ts'

/** Sends wake-ups to the ingress of Restate. */
export class RestateClient {
  readonly #ingress: string
  readonly #service: string

  constructor(ingress: string, service: string) {
    this.#ingress = ingress.replace(/\/+$/u, '')
    this.#service = service
  }

  /** Schedules a run to be driven at its time. Requests with the same cause are idempotent. */
  async send(wakeUp: WakeUp, now: number): Promise<void> {
    const { run, at } = wakeUp
    const delay = at === undefined || at <= now ? '' : `?delay=${Math.ceil(at - now)}ms`
    await this.#post(`${this.#place(run)}/send${delay}`, wakeUp)
  }

  /** Drives a run and waits until it has come to rest. A request with the same cause joins one that is in progress. */
  async wait(wakeUp: WakeUp, signal: AbortSignal): Promise<void> {
    await this.#post(this.#place(wakeUp.run), wakeUp, signal)
  }

  #place(run: string): string {
    return `${this.#ingress}/${this.#service}/${encodeURIComponent(run)}/segment`
  }

  async #post(url: string, { run, cause, fromSeq }: WakeUp, signal?: AbortSignal): Promise<void> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `${run}/${cause}` }
    const body = JSON.stringify({ cause, fromSeq })
    const answer = await ask(url, { method: 'POST', headers, body, ...(signal && { signal }) })
    if (answer.ok) return answer.body?.cancel()
    throw new MandateError('STORE_FAILED', `Restate answered ${answer.status} to ${url}: ${await answer.text()}`)
  }
}

/** Returns the address that Restate delivers segments to, which is the one registered last; undefined if there is none. */
export async function addressOf(admin: string, service: string): Promise<string | undefined> {
  const known = await look(admin, `/services/${service}`)
  const deployment = known && (await look(admin, `/deployments/${String(known['deployment_id'])}`))
  return deployment && String(deployment['uri'])
}

async function look(admin: string, path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const url = `${admin.replace(/\/+$/u, '')}${path}`
  const answer = await ask(url, {})
  if (answer.ok) return (await answer.json()) as Readonly<Record<string, unknown>>
  const text = await answer.text()
  if (answer.status === 404) return undefined
  throw new MandateError('STORE_FAILED', `Restate answered ${answer.status} to ${url}: ${text}`)
}

/** Registers a worker with Restate. Workers that share an address are one deployment. */
export async function registerDeployment(admin: string, uri: string, service: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ uri, force: true })
  const answer = await ask(`${admin.replace(/\/+$/u, '')}/deployments`, { method: 'POST', headers, body })
  if (answer.ok) {
    const { services } = (await answer.json()) as { readonly services: readonly { readonly name: string }[] }
    if (services.some(({ name }) => name === service)) return
    throw new MandateError(
      'CONFIG_INVALID',
      `Workers of another store answer at ${uri}. Give this worker an address of its own: another port, and \`worker.uri\`.`,
    )
  }
  throw new MandateError(
    'CONFIG_INVALID',
    `Restate at ${admin} did not accept the worker at ${uri} (${answer.status}): ${await answer.text()} It has to reach that address: give \`worker.uri\`.`,
  )
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    const reason = messageOf((cause as Error).cause ?? cause)
    throw new MandateError(
      'STORE_FAILED',
      `Restate does not answer at ${url}: ${reason}. Start it, or correct the address.`,
      {
        cause,
      },
    )
  }
}
