import { errorInfo } from '../core/index.ts'
import type { Clock, EventBus, Json } from '../core/index.ts'
import type { Head, HeadSigner, Journal, SignedHead } from '../journal/index.ts'
import { runLater } from './later.ts'

interface Around {
  readonly journal: Journal
  readonly events: EventBus
  readonly clock: Clock
}

interface Signing {
  readonly signer?: HeadSigner | undefined
  readonly onSignedHead?: ((head: SignedHead) => unknown) | undefined
}

/**
 * Signs where runs stand whenever one ends or suspends, and hands it to the host, who keeps it elsewhere. It works behind the runs:
 * a signer that is slow or fails holds none of them up, and says so in an event.
 */
export class HeadSigning {
  readonly #around: Around
  readonly #signing: Signing
  readonly #underWay = new Set<Promise<void>>()

  constructor(around: Around, { signer, onSignedHead }: Signing) {
    this.#around = around
    this.#signing = { signer, onSignedHead }
  }

  /** A run has come to rest here. Its entries are stored. */
  rested(run: string, head: Head): void {
    const { signer } = this.#signing
    if (signer === undefined) return
    const work = this.#give(signer, run, head).catch((error: unknown) =>
      this.#tell('head-unsigned', run, { code: errorInfo(error).code, message: errorInfo(error).message }),
    )
    this.#underWay.add(work)
    void work.then(() => this.#underWay.delete(work))
  }

  /** Resolves when everything that was to be signed has been, and was handed over. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** Signs where a run stands now. One that does not verify is not vouched for. */
  async sign(run: string): Promise<SignedHead> {
    return runLater(({ signHead }) => signHead(this.#around.journal, run, this.#signing.signer))
  }

  async #give(signer: HeadSigner, run: string, head: Head): Promise<void> {
    const signed = await signer.sign(run, head)
    this.#tell('head-signed', run, signed as unknown as Json)
    await this.#signing.onSignedHead?.(signed)
  }

  #tell(type: string, runId: string, data: Json): void {
    const { events, clock } = this.#around
    if (events.wants(type, runId)) events.emit({ v: 1, type, at: clock.now(), runId, sessionId: '', agentId: '', data })
  }
}
