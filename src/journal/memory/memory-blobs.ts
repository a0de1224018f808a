import { sha256 } from '../../core/index.ts'

/** The large files of runs in memory, each stored once, for as long as a run refers to it. */
export class MemoryBlobs {
  readonly #byHash = new Map<string, { readonly bytes: Uint8Array; readonly runs: Set<string> }>()

  write(run: string, bytes: Uint8Array): string {
    const hash = sha256(bytes)
    const known = this.#byHash.get(hash) ?? { bytes: bytes.slice(), runs: new Set() }
    known.runs.add(run)
    this.#byHash.set(hash, known)
    return hash
  }

  read(run: string, hash: string): Uint8Array | undefined {
    const known = this.#byHash.get(hash)
    return known?.runs.has(run) === true ? known.bytes.slice() : undefined
  }

  erase(run: string): void {
    for (const [hash, { runs }] of this.#byHash) if (runs.delete(run) && runs.size === 0) this.#byHash.delete(hash)
  }
}
