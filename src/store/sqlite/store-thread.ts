import { MandateError } from '../../core/index.ts'
import type { Change } from '../../journal/index.ts'
import { FileThread } from './file-thread.ts'
import type { ThreadCall } from './file-thread.ts'
import type { FileOptions, Operations, StoreCaller } from './protocol.ts'
import { workerUrl } from './worker.ts'
import type { WorkerStart } from './worker.ts'

/** The caller's side of the thread that owns the journal's file. */
export class StoreThread extends FileThread<Operations, readonly Change[]> implements StoreCaller {
  #isWatching = false

  constructor(options: FileOptions, onChanges: (changes: readonly Change[]) => void) {
    const start: WorkerStart = { mandateStore: options }
    super({ url: workerUrl(), name: 'mandate-store', start, path: options.path, closed }, onChanges)
  }

  /** Starts or stops change notifications. Also applied to a restarted thread. */
  watch(isWatching: boolean): void {
    this.#isWatching = isWatching
    if (this.isStarted || isWatching) this.call('watch', isWatching).catch(() => {})
  }

  protected override firstCalls(): readonly ThreadCall[] {
    return this.#isWatching ? [{ id: 0, op: 'watch', args: [true] }] : []
  }
}

/** The error of every call after `close`. */
export function closed(): MandateError {
  return new MandateError('CLOSED', 'The journal is closed. Open it again with `sqliteJournal`.')
}
