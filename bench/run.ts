// `npm run bench` measures everything; `npm run bench -- durable peers` only these sections. Prints tables, writes RESULTS.md and results.json; other
// sections keep their previous results. Fails if a required ratio is missed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { besideAi } from './beside-ai.ts'
import { cold } from './cold.ts'
import { command } from './command.ts'
import { connect } from './connect.ts'
import { durable } from './durable.ts'
import { encryption } from './encryption.ts'
import { engine } from './engine.ts'
import { expr } from './expr.ts'
import { gate } from './gate.ts'
import { cells } from './cells.ts'
import { graphs } from './graphs.ts'
import { growth } from './growth.ts'
import { inbox } from './inbox.ts'
import { installPeers } from './installing.ts'
import { kernel } from './kernel.ts'
import { labels } from './labels.ts'
import { load } from './load.ts'
import { packageCost } from './package.ts'
import { besidePeers } from './peers.ts'
import { postgres } from './postgres.ts'
import { isMet, sectionText } from './report.ts'
import type { Section } from './report.ts'
import { rlm } from './rlm.ts'
import { search } from './search.ts'
import { server } from './server.ts'
import { start } from './start.ts'
import { studio } from './studio.ts'
import { typeCheck } from './type-check.ts'
import { vm } from './vm.ts'

const sections: Readonly<Record<string, () => Promise<Section>>> = {
  peers: besidePeers,
  ai: besideAi,
  kernel,
  gate,
  growth,
  graphs,
  cells,
  durable,
  inbox,
  postgres,
  engine,
  encryption,
  search,
  connect,
  expr,
  vm,
  cold,
  labels,
  load,
  server,
  studio,
  rlm,
  package: packageCost,
  types: typeCheck,
  command,
  start,
}

/** A section and the machine that measured it: a later run of other sections may be on another one. */
interface MeasuredSection extends Section {
  readonly machine: string
}

interface Results {
  readonly sections: Readonly<Record<string, MeasuredSection>>
}

/** Sections that include other libraries. */
const WITH_PEERS: readonly string[] = ['peers', 'ai', 'graphs', 'expr', 'vm', 'cold', 'package']

const asked = process.argv.slice(2)
const unknown = asked.find((name) => sections[name] === undefined)
if (unknown !== undefined) {
  console.error(`bench: there is no section "${unknown}"; the sections are ${Object.keys(sections).join(', ')}`)
  process.exit(2)
}

const file = new URL('./results.json', import.meta.url)
const kept = existsSync(file) ? ((JSON.parse(readFileSync(file, 'utf8')) as Partial<Results>).sections ?? {}) : {}
// Sections with comparisons use these packages if they are installed, and skip them otherwise.
if (asked.length === 0 || asked.some((name) => WITH_PEERS.includes(name))) installPeers()
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`
const measured: Record<string, MeasuredSection> = {}
for (const [name, run] of Object.entries(sections)) {
  const isAsked = asked.length === 0 || asked.includes(name)
  const section = isAsked ? { ...(await run()), machine } : kept[name]
  if (section === undefined) continue
  measured[name] = section
  if (isAsked) console.log(`${sectionText(section)}\n`)
}

const results: Results = { sections: measured }
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
const head = `# Results

Written by \`npm run bench\`. Sides of a comparison run in turns; figures are medians; where it does not say otherwise, ratios are to the first line. Absolute times are those of the named machine; the ratios are what to look at.`
const texts = Object.values(measured).flatMap((section, index, all) => {
  const isOther = section.machine !== all[index - 1]?.machine
  return [...(isOther ? [`Measured on ${section.machine}:`] : []), sectionText(section)]
})
writeFileSync(new URL('./RESULTS.md', import.meta.url), `${[head, ...texts].join('\n\n')}\n`)

const missed = asked.length === 0 ? measured : Object.fromEntries(asked.map((name) => [name, measured[name]!]))
process.exitCode = Object.values(missed).every(({ goals }) => goals.every(isMet)) ? 0 : 1
