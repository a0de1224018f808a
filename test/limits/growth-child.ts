import { runScript } from '../../src/vm/machine/script.fixture.ts'
import { GROWING } from './growing.ts'

/** Runs each step named in the arguments for ever, writes its name before and the limit that ended it after. */
const SETUP =
  'const a = []; const b = Array.from({ length: 3000 }, (_, i) => i); const o = Object.fromEntries(b.slice(0, 300).map((i) => ["k" + i, i]))'
const [limits = '{}', ...names] = process.argv.slice(2)
for (const name of names) {
  process.stdout.write(`${name}\t`)
  const { error } = await runScript(`${SETUP}; for (;;) { ${GROWING[name]} }`, {
    limits: JSON.parse(limits) as Record<string, number>,
  })
  process.stdout.write(`${(error?.info as { limit?: string } | undefined)?.limit ?? error?.message}\n`)
}
