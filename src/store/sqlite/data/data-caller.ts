import { checkRing, readRing } from '../../encryption/index.ts'
import type { Encryption, KeyRing } from '../../encryption/index.ts'
import { DeferredCaller } from '../deferred-caller.ts'
import type { Caller } from '../deferred-caller.ts'
import { FileThread } from '../file-thread.ts'
import { dataClosed } from './data-file.ts'
import { dataWorkerUrl } from './data-worker.ts'
import type { DataWorkerStart } from './data-worker.ts'
import type { DataOperations, DataOptions } from './protocol.ts'

export type DataCaller = Caller<DataOperations>

/** Sends calls to the thread that owns the data. If keys have to be fetched, the first call does that. */
export function dataCaller(options: DataOptions, encryption: Encryption | undefined): DataCaller {
  if (typeof encryption === 'function')
    return new DeferredCaller(async () => threadFor(options, await readRing(encryption)), dataClosed)
  return threadFor(options, encryption === undefined ? undefined : checkRing(encryption))
}

function threadFor(options: DataOptions, ring: KeyRing | undefined): FileThread<DataOperations> {
  const start: DataWorkerStart = { mandateData: { ...options, ring } }
  return new FileThread({ url: dataWorkerUrl(), name: 'mandate-data', start, path: options.path, closed: dataClosed })
}
