import { composeRedactors, knownValues } from '../core/index.ts'
import { loadGate } from '../gate/index.ts'
import { loadModels } from '../model/index.ts'
import { loadTools } from '../tool/index.ts'
import type { KernelOptions, MutableHost } from './kernel-host.ts'

/** Loads what is to be there before the first run, and watches for the values of secrets where there is a source of them. */
export async function prepare(host: MutableHost, preload: KernelOptions['preload']): Promise<void> {
  if (preload !== undefined) await Promise.all([loadGate(), loadModels(), loadTools(), preload()])
  if (host.secrets === undefined) return
  const known = knownValues()
  host.redactor = composeRedactors(known, host.redactor)
  host.learnSecret = (value, name) => known.add(name, value)
}
