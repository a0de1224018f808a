// One script, once, in a fresh process: `node bench/sides/vm/cold.ts <engine>`. Prints one line of JSON: CPU and wall from loading the engine to the
// result, which is how a command or a function in the cloud uses it.
import type { Engine } from './engine.ts'
import { programs, world } from './programs.ts'

const name = process.argv[2]!
const cpu = process.cpuUsage()
const start = performance.now()
const { engine } = (await import(`./${name}.ts`)) as { readonly engine: Engine }
const { source, expected } = programs['codemode']!
const sandbox = await engine.create(world)
const value = await sandbox.run(source)
const coldWall = performance.now() - start
const { user, system } = process.cpuUsage(cpu)
if (value !== expected) throw new Error(`codemode gives ${String(value)} instead of ${expected}.`)
process.stdout.write(`${JSON.stringify({ coldCpu: (user + system) / 1_000, coldWall })}\n`, () => process.exit(0))
