import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MandateError } from '../core/index.ts'
import { fileCassette } from '../testing/index.ts'
import type { Cassette, CassetteMode } from '../model/index.ts'
import type { StandIns } from '../run/index.ts'
import type { EvalSuite } from './suite.ts'

/** Opens the cassette of an attempt by its name: the task and the number of the attempt. */
export type OpenCassette = (name: string) => Cassette

/** Returns how the cassettes of a suite are opened. Each attempt has its own, so that attempts can run concurrently. */
export function cassettesOf(
  { cassettes, matchOn }: Pick<EvalSuite, 'cassettes' | 'matchOn'>,
  mode: CassetteMode | undefined,
): OpenCassette | undefined {
  if (cassettes === undefined || typeof cassettes === 'function') return cassettes
  const folder = typeof cassettes === 'string' ? cassettes : fileURLToPath(cassettes)
  return (name) => fileCassette(join(folder, `${name}.cassette.json`), { mode, matchOn, note: () => {} })
}

/** Throws on a mode that would have no effect: a replay must never call a model instead. */
export function checkMode({ name, cassettes }: EvalSuite, mode: CassetteMode | undefined): void {
  if (mode === undefined) return
  if (cassettes === undefined && mode !== 'live')
    throw new MandateError(
      'CONFIG_INVALID',
      `The eval "${name}" has no \`cassettes\`, so nothing can be recorded or replayed. Add the folder of its recordings, such as "cassettes": "cassettes".`,
    )
  if (typeof cassettes === 'function')
    throw new MandateError(
      'CONFIG_INVALID',
      `The eval "${name}" opens its cassettes with a function, which decides whether to record or replay. Leave the mode out, or give \`cassettes\` as a folder.`,
    )
}

/** Makes stand-ins that answer the models and tools of a run from a cassette, or record them. Each is wrapped once, however often it is looked up. */
export function standInsFrom(tape: Pick<Cassette, 'model' | 'tool' | 'embedding'>): StandIns {
  return {
    model: once((model) => tape.model(model)),
    tool: once((tool) => tape.tool(tool as never)),
    embedding: once((model) => tape.embedding(model)),
  }
}

function once<T extends object>(wrap: (thing: T) => T): (thing: T) => T {
  const wrapped = new WeakMap<T, T>()
  return (thing) => {
    const known = wrapped.get(thing) ?? wrap(thing)
    wrapped.set(thing, known)
    return known
  }
}
