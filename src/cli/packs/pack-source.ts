import { MandateError } from '../../core/index.ts'

/** The options of `run --pack`: the packs, the model and the folder. */
export interface PackChoice {
  /** Names of packs, some with a value: `filesystem`, `sql=shop.db`. */
  readonly packs: readonly string[]
  readonly model: string
  /** The folder that the tools work in. */
  readonly root: string
}

const PREFIX = 'pack:?'

/**
 * Encodes packs as a source. Journals store it in place of a file, so that a run with packs can be resumed, forked and replayed by its id like any other run.
 */
export function packSource({ packs, model, root }: PackChoice): string {
  const query = new URLSearchParams([...packs.map((pack) => ['use', pack]), ['model', model], ['root', root]])
  return `${PREFIX}${query}`
}

export function isPackSource(source: string): boolean {
  return source.startsWith(PREFIX)
}

export function readPackSource(source: string): PackChoice {
  const query = new URLSearchParams(source.slice(PREFIX.length))
  const [model, root] = [query.get('model'), query.get('root')]
  if (model === null || root === null)
    throw new MandateError('CONFIG_INVALID', `"${source}" does not say which model and folder it was run with.`)
  return { packs: query.getAll('use'), model, root }
}
