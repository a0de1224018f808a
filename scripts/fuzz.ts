import { compareAll } from '../test/differential/engines.ts'
import { generate } from '../test/differential/generator.ts'
import { tryPairs } from '../test/flow/interference/running.ts'

/** Number of programs per start of both engines. */
const together = 20

/** Usage: `node scripts/fuzz.ts <target> [count] [seed]`. Compares generated programs with the real engine, until the count or 20 differences are reached. */
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

/** Runs generated scripts and programs twice with different untrusted data, and reports clean values that differ, which are taint violations. */
async function fuzzFlow(count: number, seed: number): Promise<number> {
  const done = { programs: 0, pairs: 0, violations: 0 }
  const say = (): void =>
    console.log(`seed ${seed}: ${done.pairs} pairs of ${done.programs} programs, ${done.violations} violations`)
  const size = 500
  for (let turn = 0; done.pairs < count && done.violations < 20; turn++) {
    // Every fifth batch consists of JSON programs.
    const found = await tryPairs(turn % 5 === 4 ? 'programs' : 'scripts', seed + turn * size, size)
    done.programs += found.programs
    done.pairs += found.pairs
    done.violations += found.violations.length
    for (const violation of found.violations) console.log(`--- ${violation}\n`)
    if (turn % 20 === 19) say()
  }
  say()
  return done.violations
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
} else {
  const differences = await fuzz.run(Number(count ?? fuzz.count), Number(seed))
  // Intervals that generated programs left running in the real engine would keep this process alive.
  process.exit(differences > 0 ? 1 : 0)
}
