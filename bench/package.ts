import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../scripts/build-package.ts'
import { installCost } from '../scripts/install-cost.ts'
import { pack } from '../scripts/pack.ts'
import { bundle, declarationsOf } from '../scripts/package-cost.ts'
import { median } from './harness.ts'
import { installPeers } from './installing.ts'
import type { Section, Table } from './report.ts'

const ROUNDS = 15
const root = join(import.meta.dirname, '..')
const user = join(root, '.cache', 'bench-user')
const peers = join(import.meta.dirname, 'peers')

interface Imported {
  readonly wall: number
  readonly cpu: number
}

/** Measures the import of a package in a fresh process, in milliseconds. */
function importOnce(name: string, folder: string): Imported {
  const code = `
    const cpu = process.cpuUsage()
    const start = performance.now()
    await import(${JSON.stringify(name)})
    const wall = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    process.stdout.write(JSON.stringify({ wall, cpu: (user + system) / 1000 }), () => process.exit(0))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(said) as Imported
}

/** Compares the built package with the others, alternately, each time in a fresh process. */
function imports(): { readonly table: Table; readonly cpu: number; readonly wall: number } {
  const others = ['@openai/agents', 'langchain', '@mastra/core/agent']
  const packages: [name: string, folder: string][] = [
    ['ai', user],
    ['mandate', user],
    ...(installPeers() ? others.map((name): [string, string] => [name, peers]) : []),
  ]
  const all = packages.map((): Imported[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    const order = [...packages.keys()]
    for (const index of round % 2 === 0 ? order : order.toReversed()) all[index]!.push(importOnce(...packages[index]!))
  }
  const middle = (index: number, key: keyof Imported): number => median(all[index]!.map((one) => one[key]))
  const ratio = (index: number, key: keyof Imported): number => middle(index, key) / middle(0, key)
  return {
    cpu: ratio(1, 'cpu'),
    wall: ratio(1, 'wall'),
    table: {
      title: 'Importing the package',
      note: 'Built, in fresh processes, in turns.',
      columns: ['ms CPU', 'ms wall', 'ratio to ai 7'],
      rows: packages.map(([name], index) => [name, middle(index, 'cpu'), middle(index, 'wall'), ratio(index, 'cpu')]),
    },
  }
}

/** Measures the code size of the smallest agent, for a browser and for a type checker. */
async function sizes(): Promise<Section> {
  const own = join(user, 'agent.ts')
  cpSync(join(root, 'test', 'package', 'minimal-agent.fixture.ts'), own)
  const other = join(user, 'ai.ts')
  const lines = [
    `import { ToolLoopAgent, jsonSchema, tool } from 'ai'`,
    `const add = tool({ description: 'add', inputSchema: jsonSchema({ type: 'object' }), execute: async () => 1 })`,
    `const agent = new ToolLoopAgent({ model: {} as never, tools: { add } })`,
    `console.log((await agent.generate({ prompt: 'go' })).text)`,
  ]
  writeFileSync(other, lines.join('\n'))
  const rows = []
  for (const [name, file] of [['ai', other] as const, ['mandate', own] as const]) {
    const bundled = await bundle(file)
    // The model of the other side would be a provider's, so only its start is counted.
    const zipped = name === 'mandate' ? bundled.run().zipped : bundled.zipped
    const declared = declarationsOf(file).files.reduce((sum, one) => sum + one.lines, 0)
    rows.push([name, zipped / 1024, declared] as const)
  }
  const [, [, , declared]] = rows as unknown as [unknown, [string, number, number]]
  return {
    tables: [
      {
        title: 'A minimal agent',
        note: "Bundled, minified, gzip: for ai what it loads at start, for mandate all that a run to its end has loaded; and the lines of declarations that type-checking it loads, without the compiler's own.",
        columns: ['KB zipped', 'lines of declarations'],
        rows,
      },
    ],
    goals: [{ name: 'lines of declarations of a minimal agent', measured: declared, atMost: 20_000 }],
  }
}

/** Measures what `npm install` installs: each library alone, and each with the same provider. */
function installs(): Section {
  const sets = [['ai'], ['mandate'], ['ai', 'zod', '@ai-sdk/openai'], ['mandate', 'zod', '@ai-sdk/openai']]
  const costs = sets.map((names) => {
    const { packages, folders, bytes, bins } = installCost(user, names)
    const packed = pack(folders).reduce((sum, { size }) => sum + size, 0)
    return { packages: packages.length, installed: bytes / 1e6, packed: packed / 1e6, bins: bins.join(' ') }
  })
  const ratio = (index: number, key: 'packages' | 'installed' | 'packed'): number =>
    costs[index + 1]![key] / costs[index]![key]
  return {
    tables: [
      {
        title: 'Installing the package',
        note: 'Packages that npm installs, with their dependencies and the peers that it installs by itself, and the size of their files and tarballs.',
        columns: ['packages', 'MB', 'MB packed', 'commands in .bin'],
        rows: costs.map(({ packages, installed, packed, bins }, index) => [
          sets[index]!.join(' '),
          packages,
          installed,
          packed,
          bins,
        ]),
      },
    ],
    goals: [
      { name: 'packages beside ai', measured: ratio(0, 'packages'), atMost: 1 },
      { name: 'MB installed beside ai', measured: ratio(0, 'installed'), atMost: 1 },
      { name: 'MB packed, with dependencies, beside ai', measured: ratio(0, 'packed'), atMost: 1 },
      { name: 'MB installed beside ai, each with zod and a provider', measured: ratio(2, 'installed'), atMost: 1 },
    ],
  }
}

/** Measures the cost of installing and importing the package. */
export async function packageCost(): Promise<Section> {
  await buildPackage(user, { whole: true })
  const imported = imports()
  const { tables, goals } = await sizes()
  const installed = installs()
  return {
    tables: [imported.table, ...tables, ...installed.tables],
    goals: [...installed.goals, { name: 'import beside ai 7, CPU', measured: imported.cpu, atMost: 0.3 }, ...goals],
  }
}
