// Writes the software bill of materials of the package as CycloneDX: the output of `npm sbom` for the installed dependencies, and the packages whose code is
// bundled into `dist` (the page of the studio, template engines), which npm does not include. The file is part of the package, in its `dist`.
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

interface Manifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Component {
  readonly 'bom-ref': string
  readonly [field: string]: unknown
}

interface Bom {
  readonly metadata: { readonly component: { name: string } }
  components: object[]
}

const manifest = read('package.json') as Manifest
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> }

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

/** Returns the packages whose code is bundled: imported by the sources or by the page, and neither a dependency nor a peer. */
function bundledNames(): readonly string[] {
  const files = globSync(['src/**/*.ts', 'studio/src/**/*.{ts,tsx}'], { cwd: root }).filter(
    (file) => !/\.(?:test|fixture)\./.test(file),
  )
  const imported = files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/^\s*\*.*$/gm, '')
    const found = code.matchAll(
      /^(?:import|export)(?! type\b)[^'"]*?from ['"]([^.'"][^'"]*)['"]|\bimport\(['"]([^.'"][^'"]*)['"]\)/gm,
    )
    return [...found].map(([, still, lazy]) => packageOf((still ?? lazy)!))
  })
  const outside = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
    ...builtinModules,
  ])
  return [...new Set(imported)].filter((name) => !name.startsWith('node:') && !outside.has(name))
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Returns packages with all their transitive dependencies, from the lock file. */
function withDependencies(names: readonly string[]): ReadonlyMap<string, Locked> {
  const found = new Map<string, Locked>()
  const visit = (name: string): void => {
    const locked = packages[`node_modules/${name}`]
    if (locked === undefined || found.has(name)) return
    found.set(name, locked)
    for (const next of Object.keys(locked.dependencies ?? {})) visit(next)
  }
  names.forEach(visit)
  return found
}

function componentOf(name: string, { version, integrity, license }: Locked, isBundled: boolean): Component {
  const [algorithm, hash] = integrity?.split('-') ?? []
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    properties: isBundled ? [{ name: 'mandate:bundled', value: 'true' }] : [],
    ...(hash === undefined
      ? {}
      : {
          hashes: [
            {
              alg: algorithm!.toUpperCase().replace('SHA', 'SHA-'),
              content: Buffer.from(hash, 'base64').toString('hex'),
            },
          ],
        }),
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
  }
}

/** Creates the complete bill of materials. */
function makeBom(): Bom {
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=library',
    '--omit=dev',
    '--omit=peer',
    '--omit=optional',
    '--package-lock-only',
  ]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm sbom: ${stderr}`)
  const bom = JSON.parse(stdout) as Bom
  // npm uses the name of the folder instead.
  bom.metadata.component.name = manifest.name
  // npm leaves out dependencies that are also peers of another package.
  const installed = [...withDependencies(Object.keys(manifest.dependencies))]
  const components = [
    ...(bom.components as Component[]),
    ...installed.map(([name, locked]) => componentOf(name, locked, false)),
    ...[...withDependencies(bundledNames())].map(([name, locked]) => componentOf(name, locked, true)),
  ]
  bom.components = [...new Map(components.toReversed().map((one) => [one['bom-ref'], one])).values()].toReversed()
  return bom
}

const target = process.argv[2] ?? join(root, 'dist/sbom.cdx.json')
mkdirSync(dirname(target), { recursive: true })
const bom = makeBom()
writeFileSync(target, `${JSON.stringify(bom, null, 2)}\n`)
console.log(`${target}: ${bom.components.length} packages`)
