import { compareAll } from '../test/differential/engines.ts'
import { generate } from '../test/differential/generator.ts'
import { tryPairs } from '../test/flow/interference/running.ts'

/** Programs that share one start of both engines. */
const together = 20

/** `node scripts/fuzz.ts <target> [count] [seed]`: compares generated programs with the real engine until one differs. */
async function fuzzScripts(count: number, seed: number): Promise<number> {
  let differences = 0
  let refused = 0
  for (let index = 0; index < count && differences < 20; index += together) {
    const programs = Array.from({ length: together }, (_, one) => generate(seed + index + one))
    for (const [one, { own, real, isSame, isRefused }] of (await compareAll(programs)).entries()) {
      if (isRefused) refused += 1
      else if (!isSame) {
        differences += 1
        console.log(
          `--- difference: seed ${programs[one]?.seed}\n${programs[one]?.source}\n--- real: ${real}\n--- own: ${own}\n`,
        )
      }
    }
    if ((index + together) % 10_000 === 0)
      console.log(`${index + together} programs, ${differences} differences, ${refused} refused`)
  }
  console.log(`seed ${seed}: ${count} programs, ${differences} differences, ${refused} refused`)
  return differences
}

/** Runs generated scripts and programs twice, with other untrusted data, and looks for clean values that differ. */
async function fuzzFlow(count: number, seed: number): Promise<number> {
  let violations = 0
  const size = 1_000
  for (let done = 0; done < count && violations < 20; done += size) {
    // A third of the pairs are JSON programs.
    const kind = (done / size) % 3 === 2 ? 'programs' : 'scripts'
    const found = await tryPairs(kind, seed + done, size)
    violations += found.violations.length
    for (const violation of found.violations) console.log(`--- ${violation}\n`)
    if ((done + size) % 10_000 === 0) console.log(`${done + size} pairs, ${violations} violations`)
  }
  console.log(`seed ${seed}: ${count} pairs, ${violations} violations`)
  return violations
}

interface Target {
  readonly count: number
  readonly run: (count: number, seed: number) => Promise<number>
}

const targets: Readonly<Record<string, Target>> = {
  scripts: { count: 5_000_000, run: fuzzScripts },
  flow: { count: 2_000_000, run: fuzzFlow },
}

const [target = 'scripts', count, seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
const fuzz = Object.hasOwn(targets, target) ? targets[target] : undefined
if (fuzz === undefined) {
  console.error(`There is no target "${target}". Use one of: ${Object.keys(targets).join(', ')}.`)
  process.exitCode = 2
} else process.exitCode = (await fuzz.run(Number(count ?? fuzz.count), Number(seed))) > 0 ? 1 : 0
