// `npm run check`: all checks that do not run the program. All steps run even if one fails, so that one run reports every failure.
// Names of steps as arguments run only those: `npm run check -- types lint`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const steps: Readonly<Record<string, readonly string[]>> = {
  types: ['typescript/bin/tsc', '--noEmit', '-p', '.'],
  studio: ['typescript/bin/tsc', '--noEmit', '-p', 'studio'],
  lint: ['oxlint/bin/oxlint', '--type-aware'],
  format: ['oxfmt/bin/oxfmt', '--check'],
  tidy: ['vitest/vitest.mjs', 'run', 'test/tidy', '--reporter=dot'],
  unused: ['knip/bin/knip.js', '--no-config-hints'],
  package: ['../scripts/stage-package.ts'],
  built: ['../scripts/import-built.ts'],
}

const asked = process.argv.slice(2)
const unknown = asked.find((name) => steps[name] === undefined)
if (unknown !== undefined) {
  console.error(`check: there is no step "${unknown}"; the steps are ${Object.keys(steps).join(', ')}`)
  process.exit(2)
}

const failed: string[] = []
for (const [name, [file, ...args]] of Object.entries(steps)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const start = performance.now()
  const path = fileURLToPath(import.meta.resolve(`../node_modules/${file}`))
  const ran = spawnSync(process.execPath, [path, ...args], {
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  })
  const isFine = ran.status === 0
  // The output of a step is only shown if it fails.
  if (!isFine) console.log(`${ran.stdout}${ran.stderr}`.trimEnd())
  console.log(`check: ${isFine ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  if (!isFine) failed.push(name)
}
if (failed.length > 0)
  console.log(`check: failed: ${failed.join(', ')}. One of them alone: npm run check -- ${failed[0]}`)
process.exitCode = failed.length > 0 ? 1 : 0
