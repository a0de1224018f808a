import { compareAll } from '../test/differential/engines.ts'
import { generate } from '../test/differential/generator.ts'

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

const targets: Readonly<Record<string, (count: number, seed: number) => Promise<number>>> = { scripts: fuzzScripts }

const [target = 'scripts', count = '5000000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
const fuzz = Object.hasOwn(targets, target) ? targets[target] : undefined
if (fuzz === undefined) {
  console.error(`There is no target "${target}". Use one of: ${Object.keys(targets).join(', ')}.`)
  process.exitCode = 2
} else process.exitCode = (await fuzz(Number(count), Number(seed))) > 0 ? 1 : 0
