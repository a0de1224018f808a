import { MandateError, messageOf } from '../../core/index.ts'
import type { WakeUp } from './outbox.ts'

/** Requests to Restate: wake-ups, and where workers are. */
export class RestateClient {
  readonly #ingress: string
  readonly #service: string

  constructor(ingress: string, service: string) {
    this.#ingress = ingress.replace(/\/+$/u, '')
    this.#service = service
  }

  /** Has a run driven at its moment. Asking again with the same cause changes nothing. */
  async send(wakeUp: WakeUp, now: number): Promise<void> {
    const { run, at } = wakeUp
    const delay = at === undefined || at <= now ? '' : `?delay=${Math.ceil(at - now)}ms`
    await this.#post(`${this.#place(run)}/send${delay}`, wakeUp)
  }

  /** Has a run driven, or joins who asked before with the same cause, and waits until it has come to rest. */
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

/** The address that Restate hands segments to: the one that was made known last. Undefined where it knows none. */
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

/** Makes a worker known. Workers that share an address are one deployment. */
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
