import { MandateError } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled, CompileOptions } from '../compile/compile.ts'
import type { Language } from '../compile/language.ts'
import { PLAIN } from '../compile/plain.ts'
import type { AtomSpec } from '../port.ts'

interface WholeOptions extends CompileOptions {
  readonly followsLabels: boolean
}

/** Signs of a program that calls something, or reads a global: only such a program needs the built-ins. */
const USES_BUILTINS =
  /"\$expr":"(?:call|methodCall)"|"name":"(?:Math|Number|JSON|Array|Object|String|Boolean|Date|NaN|Infinity|parseInt|parseFloat)"/

/** Signs of a program that calls a function. */
const CALLS = /"(?:callLocal|call|methodCall)"/

/** The operations of its steps, and operators, which are no names of atoms. */
const OPS = /"op":("(?:[^"\\]|\\.)*")/g

/** Names that the compiler gives to places of its own, where a program could put a name. */
const HIDDEN = /"(?:key|as|result|accumulator|catchParam|name)":"%\d|"keys":\[[^\]]*"%\d|"%\d+":/

/** Compiles a program with the parts of the machine that it needs; those that it does not need are not even loaded. */
export async function compileWhole(program: JsonObject, options: WholeOptions): Promise<Compiled> {
  const { followsLabels, ...rest } = options
  // Only runs whose mandate has rules about labels need them followed.
  const family = followsLabels ? (await import('../labels/index.ts')).withLabels : undefined
  if (program['mode'] === 'script') {
    const { compileScript } = await import('./script-parts.ts')
    // Statements of scripts cost what is in them.
    return compileScript(program, { ...rest, costs: undefined }, family)
  }
  return compileJson(program, rest, family)
}

async function compileJson(
  program: JsonObject,
  options: CompileOptions,
  family: ((base?: Language) => Language) | undefined,
): Promise<Compiled> {
  const text = JSON.stringify(program['steps'] ?? null) + JSON.stringify(program['helpers'] ?? null)
  if (HIDDEN.test(text))
    throw new MandateError(
      'INPUT_INVALID',
      'The program is not valid: a name must not be "%" and a number, which are the machine\'s own.',
    )
  const builtins = USES_BUILTINS.test(text) ? (await import('../builtins/index.ts')).scriptBuiltins : undefined
  const atoms = await atomsFor(text, options)
  const named = namedIn(text, atoms)
  for (const { load } of named) await load?.()
  // It ends where it begins: no call, and nothing that leaves the machine.
  const onlyComputes =
    !CALLS.test(text) && program['helpers'] === undefined && named.every(({ inline }) => inline !== undefined)
  // Labels come with a family over the whole language.
  const language = family?.() ?? (onlyComputes ? PLAIN : (await import('../compile/core.ts')).CORE)
  return compileProgram(program, { ...options, builtins, atoms, language })
}

/** The atoms that the steps of a program may name. */
function namedIn(text: string, atoms: CompileOptions['atoms']): AtomSpec[] {
  const ops = new Set(Array.from(text.matchAll(OPS), ([, op]) => JSON.parse(op!) as string))
  return [...ops].flatMap((op) => atoms?.get(op) ?? [])
}

/** The atoms of a run, and what `memoize` and `cache` are written with where a program has them. */
async function atomsFor(text: string, { atoms }: CompileOptions): Promise<CompileOptions['atoms']> {
  if (!/"(?:memo|cache)/.test(text)) return atoms
  const { REMEMBERING } = await import('./remembering.ts')
  return new Map([...REMEMBERING.map((spec) => [spec.op, spec] as const), ...(atoms ?? [])])
}
