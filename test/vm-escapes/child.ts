import { runCase } from './run-case.ts'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import type { EscapeCase } from './corpus.ts'

// A rejection that nobody handles, or an error that escapes, must be seen as one.
process.on('unhandledRejection', (reason) => {
  console.log(JSON.stringify({ id: 'process', problem: `unhandled rejection: ${String(reason)}` }))
})

const ids = new Set(process.argv.slice(2))
for (const one of [...readCorpus<EscapeCase>('escapes'), ...readOwn<EscapeCase>('escapes')]) {
  if (!ids.has(one.id)) continue
  console.log(JSON.stringify({ id: one.id, started: true }))
  console.log(JSON.stringify(await runCase(one)))
}
// Timers of tools that never answer must not hold the process.
process.exit(0)
