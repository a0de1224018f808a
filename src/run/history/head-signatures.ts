import type { Head, SignedHead } from '../../journal/index.ts'
import type { Around, Signing } from './signed-head.ts'
import { handHead, signHead } from './signed-head.ts'

/**
 * Signs where runs stand whenever one ends or suspends, and hands it to the host, who keeps it elsewhere. It works behind the runs:
 * a slow or failing signer delays none of them, and is reported in an event.
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
    if (this.#signing.signer === undefined) return
    const work = Promise.resolve(handHead(this.#around, this.#signing, run, head))
    const forget = (): void => void this.#underWay.delete(work)
    this.#underWay.add(work)
    work.then(forget, forget)
  }

  /** Resolves when everything that was to be signed has been, and was handed over. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  /** Signs where a run stands now. One that does not verify is not vouched for. */
  async sign(run: string): Promise<SignedHead> {
    return signHead(this.#around.journal, run, this.#signing.signer)
  }
}
