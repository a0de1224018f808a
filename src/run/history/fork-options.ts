import { MandateError, isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import type { ForkOptions } from './fork.ts'
import type { KernelHost } from '../kernel/host.ts'

const SHAPE = '{ input } with another input, or { key, value } with what the effect of that key shall have given'

/** The options with the edit in the shape that the run's mind reads. Throws if the mind cannot read it. */
export function withReadEdit(host: KernelHost, start: RunStartData, options: ForkOptions): ForkOptions {
  return options.edit === undefined ? options : { ...options, edit: readEdit(host, start, options.edit) }
}

function readEdit(host: KernelHost, start: RunStartData, edit: unknown): NonNullable<ForkOptions['edit']> {
  const names = isRecord(edit) ? Object.keys(edit).sort() : []
  const given = edit as { readonly input?: Json; readonly key?: unknown; readonly value?: Json }
  if (names.join() === 'key,value' && typeof given.key === 'string') return { key: given.key, value: given.value! }
  if (names.join() !== 'input' || given.input === undefined)
    throw new MandateError('CONFIG_INVALID', `\`edit\` of a fork must be ${SHAPE}.`)
  const mind = host.registry.mind(start.mind, start.name, start.sessionId)
  return { input: mind?.readEdit?.(given.input, start.input) ?? given.input }
}
