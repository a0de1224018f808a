type Door = string | Readonly<Record<string, string>>

/** The fields of a package.json that matter to what is published; the others are passed on. */
export interface Manifest {
  readonly exports: Readonly<Record<string, Door>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** What only a clone needs. */
const CLONE_ONLY = new Set(['scripts', 'devDependencies', 'allowScripts', 'publishConfig'])

/** The manifest of the package as it is published: the one of the repository without what leads to the sources or serves development. */
export function publishedManifest(manifest: Manifest): Manifest {
  const fields = Object.entries(manifest).filter(([field]) => !CLONE_ONLY.has(field))
  const doors = Object.entries(manifest.exports).map(([name, door]) => [name, withoutSource(door)])
  return { ...Object.fromEntries(fields), exports: Object.fromEntries(doors) as Manifest['exports'] }
}

function withoutSource(door: Door): Door {
  if (typeof door === 'string') return door
  return Object.fromEntries(Object.entries(door).filter(([condition]) => condition !== 'mandate-source'))
}
