// Imports every subpath of the built package as a user would, without the condition that resolves to the sources.
import { readFileSync } from 'node:fs'

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, unknown>
}
for (const subpath of Object.keys(exports).filter((name) => !name.endsWith('.json'))) {
  const name = subpath.replace('.', 'mandate')
  if (!import.meta.resolve(name).includes('/dist/')) throw new Error(`${name} does not lead to the built file`)
  const found = (await import(name)) as object
  if (Object.keys(found).length === 0) throw new Error(`${name} is built and exports nothing`)
}
