import { MandateError } from '../../core/index.ts'
import type { BuiltinTable } from '../value/builtin-table.ts'
import { DEFAULT_VM_LIMITS } from '../meter/limits.ts'
import type { VmLimits } from '../meter/limits.ts'
import type { AtomSpec, CapabilityTree } from '../port.ts'
import type { Program } from '../program.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { Guest } from '../value/guest.ts'
import { rootShape } from '../value/shape.ts'
import type { Shape } from '../value/shape.ts'
import type { FunctionCode } from './code.ts'
import { addCodes } from './emit/emitter.ts'
import type { Unit } from './emit/emitter.ts'
import type { Fn } from './ir.ts'
import type { LabelEmitters, Language } from './language.ts'
import { readHelpers } from './lower/lower-calls.ts'
import { Lowering } from './lower/lowering.ts'
import type { StepCosts } from './lower/lowering.ts'
import { Resolver } from './lower/resolver.ts'
import { NameCheck } from './lower/name-check.ts'
import type { Scope } from './lower/scope.ts'
import { shareDeclarations, sharedScope } from './lower/shared-scope.ts'
import type { DeclaredKind, SharedScope } from './lower/shared-scope.ts'
import type { Tracing } from './trace.ts'

export interface CompileOptions {
  readonly atoms?: ReadonlyMap<string, AtomSpec> | undefined
  readonly builtins?: BuiltinTable | undefined
  /** Global names of host functions. */
  readonly capabilities?: CapabilityTree | undefined
  readonly limits?: Partial<Pick<VmLimits, 'expressionDepth' | 'programNodes'>> | undefined
  /** Names of the arguments, if known: then a JSON program that reads another name is refused. */
  readonly argNames?: ReadonlySet<string> | undefined
  /** Tools that a JSON program may call, if known: then a call of another one is refused. */
  readonly tools?: readonly string[] | undefined
  /** Overrides of step costs in this run. */
  readonly costs?: StepCosts | undefined
  /** Records the steps that ran. */
  readonly tracing?: Tracing | undefined
  /** The script front end of this process made the program, so node fields need no check. */
  readonly isOurs?: boolean | undefined
  /** Variables that the program shares with others. Its top-level declarations are added to them. */
  readonly shared?: SharedScope | undefined
  /** More global names, with their values. */
  readonly globals?: ReadonlyMap<string, Guest> | undefined
}

interface LanguageOptions extends CompileOptions {
  /** The node kinds and their emitters. */
  readonly language: Language
}

interface CompiledParts {
  readonly program: Program
  readonly main: FunctionCode
  readonly unit: Unit
  readonly capabilities: ReadonlyMap<string, Guest>
  readonly declared: ReadonlyMap<string, DeclaredKind>
}

/** A compiled program; it can run any number of times. */
export class Compiled {
  readonly program: Program
  readonly main: FunctionCode
  readonly codes: readonly FunctionCode[]
  readonly root: Shape
  readonly builtins: BuiltinTable
  /** Guest values of host functions, by the path that serialized values use. */
  readonly capabilities: ReadonlyMap<string, Guest>
  readonly isTraced: boolean
  readonly tracing: Tracing | undefined
  readonly language: Language
  /** The label emitters, if it was compiled with them. */
  readonly labels: LabelEmitters | undefined
  /** The shared variables that it uses, in the order in which `main` takes their boxes. */
  readonly captured: readonly string[]
  /** The shared variables that it declares. */
  readonly declared: ReadonlyMap<string, DeclaredKind>

  constructor({ program, main, unit, capabilities, declared }: CompiledParts) {
    this.program = program
    this.main = main
    this.codes = unit.codes
    this.root = unit.root
    this.builtins = unit.builtins
    this.capabilities = capabilities
    this.isTraced = unit.isTraced
    this.tracing = unit.tracing
    this.language = unit.language
    this.labels = unit.language.labels
    this.captured = main.fn.info!.captures.map(({ variable }) => variable.name)
    this.declared = declared
  }
}

const NO_BUILTINS: BuiltinTable = { methods: new Map(), getters: new Map(), globals: new Map() }

/**
 * Checks and compiles a whole program. Nothing is executed, and the program is not changed.
 * Throws `INPUT_INVALID` with the location of the first fault.
 */
export function compileProgram(program: unknown, options: LanguageOptions): Compiled {
  const { language, tracing } = options
  const builtins = options.builtins ?? NO_BUILTINS
  const checked = checkRoot(program, language)
  const low = new Lowering({
    language,
    atoms: options.atoms ?? new Map(),
    limits: { ...DEFAULT_VM_LIMITS, ...options.limits },
    costs: options.costs,
    isOurs: options.isOurs,
    argNames: options.argNames,
    tools: options.tools,
  })
  const helpers = readHelpers(checked, low)
  const { shared } = options
  const body = low.scoped([], () => low.steps(checked as never, 'steps'))
  const declarations = shared === undefined ? { body, declared: new Map() } : shareDeclarations(body, shared)
  const main: Fn = {
    k: 'fn',
    name: 'main',
    params: [],
    body: declarations.body,
    isAsync: true,
    isIsolated: true,
  }
  const capabilities = language.capabilities?.(options.capabilities ?? {})
  const globals = new Map<string, Guest>([...(capabilities?.globals ?? []), ...(options.globals ?? [])])
  const root = shared?.root ?? rootShape()
  const isTraced = tracing !== undefined
  const unit: Unit = { language, root, codes: [], isTraced, tracing, builtins, world: shared?.world }
  const resolver = new Resolver({
    isScript: language.isScript,
    declarations: language.declarations && ((made) => language.declarations!(made, low.usesVar)),
    has: (name) => globals.has(name) || builtins.globals.has(name),
    find: (name) => (globals.has(name) ? globals.get(name) : builtins.globals.get(name)),
    check: new NameCheck({ isScript: language.isScript, builtins, globals, argNames: options.argNames }),
    // Variables of a session may hold iterators of other programs.
    hasIterators: shared !== undefined,
  })
  for (const name of helpers.keys()) globals.set(`%helper:${name}`, new GuestFunction(undefined as never, []))
  const outer = shared && sharedScope(shared, declarations.declared)
  const byPath = new Map([...(capabilities?.byPath ?? []), ...(options.globals ?? [])])
  const { declared } = declarations
  return finish({ checked, main, helpers, resolver, unit, globals, capabilities: byPath, outer, declared })
}

interface Parts {
  readonly checked: Program
  readonly main: Fn
  readonly helpers: ReadonlyMap<string, Fn>
  readonly resolver: Resolver
  readonly unit: Unit
  readonly globals: Map<string, Guest>
  readonly capabilities: ReadonlyMap<string, Guest>
  readonly outer: Scope | undefined
  readonly declared: ReadonlyMap<string, DeclaredKind>
}

function finish({ checked, main, helpers, resolver, unit, globals, ...rest }: Parts): Compiled {
  for (const fn of helpers.values()) resolver.fn(fn, undefined)
  resolver.fn(main, rest.outer)
  addCodes(unit, resolver.fns)
  for (const [name, fn] of helpers) {
    // References to helpers were resolved before the helpers were compiled.
    const value = globals.get(`%helper:${name}`) as { code: unknown }
    value.code = unit.codes[fn.info!.id]
  }
  const { capabilities, declared } = rest
  return new Compiled({ program: checked, main: unit.codes[main.info!.id]!, unit, capabilities, declared })
}

function checkRoot(program: unknown, language: Language): Program {
  const refuse = (message: string): never => {
    throw new MandateError('INPUT_INVALID', `The program is not valid: ${message}`)
  }
  if (typeof program !== 'object' || program === null || Array.isArray(program))
    return refuse('it must be an object { mandate: 1, op: "seq", steps: [...] }.')
  const fields = program as Record<string, unknown>
  if (Object.hasOwn(fields, 'mandate') && fields['mandate'] !== 1)
    return refuse(`version ${String(fields['mandate'])} of the format is not known here. Use \`mandate: 1\`.`)
  if (!Object.hasOwn(fields, 'op') || fields['op'] !== 'seq') return refuse("its `op` must be 'seq'.")
  const isScript = Object.hasOwn(fields, 'mode') && fields['mode'] === 'script'
  if (isScript !== language.isScript)
    return refuse(
      isScript ? 'it is a script: compile it with the script language.' : 'it is no script: leave `language` out.',
    )
  return program as Program
}
