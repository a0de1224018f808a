// Imports every subpath of the package that `npm run package` made, as a user would.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const file = fileURLToPath(new URL('../.cache/package/package.json', import.meta.url))
if (!existsSync(file)) throw new Error('There is no package in .cache/package: run `npm run package` first.')
const { exports } = JSON.parse(readFileSync(file, 'utf8')) as { exports: Record<string, unknown> }
// Its own manifest says what its name leads to from inside of it.
const { resolve } = createRequire(file)
for (const subpath of Object.keys(exports).filter((name) => !name.endsWith('.json'))) {
  const name = subpath.replace('.', 'mandate')
  const path = resolve(name)
  if (!path.startsWith(fileURLToPath(new URL('../.cache/package/dist/', import.meta.url))))
    throw new Error(`${name} does not lead to the built file`)
  const found = (await import(pathToFileURL(path).href)) as object
  if (Object.keys(found).length === 0) throw new Error(`${name} is built and exports nothing`)
}
