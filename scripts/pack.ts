import { spawnSync } from 'node:child_process'

export interface Packed {
  readonly name: string
  readonly filename: string
  /** Bytes of the tarball. */
  readonly size: number
  readonly unpackedSize: number
  readonly entryCount: number
  readonly files: readonly { readonly path: string }[]
}

/** Packs packages as npm does, in the order of their folders; without `into`, it is only said what the tarballs would be. */
export function pack(folders: readonly string[], into?: string): readonly Packed[] {
  const where = into === undefined ? ['--dry-run'] : ['--pack-destination', into]
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--ignore-scripts', ...where, ...folders], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 64e6,
  })
  if (status !== 0) throw new Error(`npm pack ${folders.join(' ')}: ${stderr}`)
  return JSON.parse(stdout) as readonly Packed[]
}
