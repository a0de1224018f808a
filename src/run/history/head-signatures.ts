import type { Head, SignedHead } from '../../journal/index.ts'
import type { Around, Signing } from './signed-head.ts'
import { handHead, signHead } from './signed-head.ts'

/**
 * Signs the head of each run that ends or suspends, and passes it to the host, which stores it outside the journal. Works in the background: a slow
 * or failing signer delays no run, and is reported in an event.
 */
export class HeadSigning {
  readonly #around: Around
  readonly #signing: Signing
  /** The newest signature of each run that is not passed on yet: heads of one run reach the host in the order of the journal. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(around: Around, { signer, onSignedHead }: Signing) {
    this.#around = around
    this.#signing = { signer, onSignedHead }
  }

  /** Called after the entries of a run that ended or suspended are stored. */
  rested(run: string, head: Head): void {
    if (this.#signing.signer === undefined) return
    const hand = (): Promise<void> => handHead(this.#around, this.#signing, run, head)
    const work = (this.#underWay.get(run) ?? Promise.resolve()).then(hand)
    const forget = (): void => {
      if (this.#underWay.get(run) === work) this.#underWay.delete(run)
    }
    this.#underWay.set(run, work)
    work.then(forget, forget)
  }

  /** Resolves when all pending heads are signed and passed on. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values())
  }

  /** Signs the current head of a run. Throws if the run does not verify. */
  async sign(run: string): Promise<SignedHead> {
    return signHead(this.#around.journal, run, this.#signing.signer)
  }
}
