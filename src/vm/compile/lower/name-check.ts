import { MandateError, nearest } from '../../../core/index.ts'
import type { Position } from '../../../expr/index.ts'
import type { BuiltinTable, Receiver } from '../../value/builtin-table.ts'
import { BuiltinFunction, WRAPPERS } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { MISSING_GLOBALS, missingMember, missingMethod } from '../../value/text/javascript-names.ts'
import type { Call, Ex, Member, Method, New, Reference, Var } from '../ir.ts'
import type { Scope } from './scope.ts'

/** The location of a name: source position or JSON path. */
interface Place {
  readonly at?: Position | undefined
  readonly path?: string | undefined
}

interface NameCheckParts {
  readonly isScript: boolean
  readonly builtins: BuiltinTable
  /** Global names besides those of the built-ins, with their values. */
  readonly globals: ReadonlyMap<string, Guest>
  /** Names of the arguments, if they are known before the program runs. */
  readonly argNames: ReadonlySet<string> | undefined
}

/** Types of literals. */
const WRITTEN: Partial<Record<Ex['k'], Receiver>> = {
  template: 'string',
  list: 'array',
  regex: 'regexp',
  fn: 'function',
  object: 'object',
}

/**
 * Throws for unknown names before the first step. At run time such a name would be an error that the program may catch, and it would continue with a value
 * that no other engine produces.
 */
export class NameCheck {
  readonly #parts: NameCheckParts
  /** The current statement. */
  place: Place = {}
  /** Names that the program tests with `typeof`. Reading one that does not exist is refused at run time. */
  readonly asked: Set<string> = new Set()

  constructor(parts: NameCheckParts) {
    this.#parts = parts
  }

  get #tools(): readonly string[] {
    const tools = this.#parts.globals.get('tools')
    return tools instanceof BuiltinFunction ? [...(tools.members?.keys() ?? [])] : []
  }

  /** Throws for a name that cannot be resolved. */
  reference({ name, at }: Var, { to }: Reference, scope: Scope): void {
    const { argNames, builtins, globals } = this.#parts
    const isArgument = argNames === undefined || argNames.has(name) || builtins.globals.has(name) || globals.has(name)
    if (to === 'nothing' && this.asked.has(name)) return
    if (to === 'nothing' || (to === 'argument' && !isArgument)) this.#unknown(name, scope.visible(), at)
  }

  #unknown(name: string, near: readonly string[], at: Position | undefined): never {
    const { isScript, builtins, argNames, globals } = this.#parts
    const advice = MISSING_GLOBALS.get(name)
    if (isScript && advice !== undefined)
      return this.#refuse({ what: `\`${name}\` is not available`, advice, name, at })
    const what = isScript ? `\`${name}\` is not defined` : `there is no variable, argument or built-in \`${name}\``
    if (this.#tools.includes(name))
      return this.#refuse({ what, advice: `It is a tool: call \`tools.${name}(…)\`.`, name, at })
    if (isScript && argNames?.has(name) === true)
      return this.#refuse({ what, advice: `It is an argument: read \`args.${name}\`.`, name, at })
    const known = [...near, ...(isScript ? [] : (argNames ?? [])), ...globals.keys(), ...builtins.globals.keys()]
    const meant = nearest(
      name,
      known.filter((each) => !each.startsWith('%')),
    )
    const declare = isScript ? 'Declare it with `const` or `let`.' : 'Set it with `varSet`, or take it as an argument.'
    return this.#refuse({ what, advice: meant === undefined ? declare : `Did you mean \`${meant}\`?`, name, at })
  }

  /** Throws for members, methods and constructors that exist in JavaScript but not in programs. */
  node(node: Ex): void {
    if (node.k === 'method') this.#method(node)
    else if (node.k === 'member') this.#member(node, false)
    else if (node.k === 'new') this.#new(node)
    if (node.k === 'method' || node.k === 'call') this.#takesOne(node)
  }

  /** Throws for a second argument of a host function that takes only one: in `rlm_query(question, text)` the text would be ignored. */
  #takesOne(node: Method | Call): void {
    const { args } = node
    if (args.length < 2 || args.some(({ k }) => k === 'spread')) return
    const asked = this.#askedBy(node)
    if (asked?.builtin?.flow !== 'ask') return
    const { path: name } = asked
    const advice = `Put everything into one object: \`${name}({ … })\`.`
    this.#refuse({ what: `\`${name}\` takes one argument, and ${args.length} are given`, advice, name, at: node.at })
  }

  /** Returns the host function that a call refers to. */
  #askedBy(node: Method | Call): BuiltinFunction | undefined {
    const target = node.k === 'call' ? node.callee : node.object
    if (target.k !== 'var' || target.ref?.to !== 'global' || !(target.ref.value instanceof BuiltinFunction))
      return undefined
    if (node.k === 'call') return target.ref.value
    const member = typeof node.name === 'string' ? target.ref.value.members?.get(node.name) : undefined
    return member instanceof BuiltinFunction ? member : undefined
  }

  #method(node: Method): void {
    const { object, name, at } = node
    if (typeof name !== 'string' || node.optionalCall) return
    this.#member({ k: 'member', object, name, optional: false, lenient: false, at }, true)
    const receiver = WRITTEN[object.k] ?? literalType(object)
    if (receiver === undefined || this.#parts.builtins.methods.get(receiver)?.has(name) === true) return
    if (object.k === 'object' && object.properties.length > 0) return
    const advice = missingMethod(receiver, name)
    if (advice !== undefined) this.#refuse({ what: `\`${receiver}.${name}\` is not available`, advice, name, at })
  }

  #member({ object, name, at }: Member, isCalled: boolean): void {
    if (object.k !== 'var' || object.ref?.to !== 'global') return
    const { value } = object.ref
    if (!(value instanceof BuiltinFunction) || value.members?.has(name) === true) return
    if (isCalled && this.#parts.globals.get('tools') === value) this.#noTool(name, at)
    const advice = missingMember(value.path, name)
    if (advice !== undefined) this.#refuse({ what: `\`${value.path}.${name}\` is not available`, advice, name, at })
  }

  /** Refuses a tool that was not granted. */
  #noTool(name: string, at: Position | undefined): never {
    const tools = this.#tools
    const meant = nearest(name, tools)
    const some = tools.length === 0 ? 'No tool was given.' : `There are: ${tools.slice(0, 12).join(', ')}.`
    const advice = meant === undefined ? some : `Did you mean \`tools.${meant}\`?`
    return this.#refuse({ what: `there is no tool \`${name}\``, advice, name, at, code: 'TOOL_UNKNOWN' })
  }

  #new({ callee, at }: New): void {
    if (callee.k !== 'var' || callee.ref?.to !== 'global' || !WRAPPERS.includes(callee.name)) return
    const { name } = callee
    this.#refuse({ what: `\`new ${name}\` is not available`, advice: `Write \`${name}(value)\`.`, name, at })
  }

  #refuse({ what, advice, name, at = this.place.at, code = 'INPUT_INVALID' }: Problem): never {
    const { isScript } = this.#parts
    const where = at === undefined ? '' : ` (line ${at[0]}, column ${at[1]})`
    const { path } = this.place
    const message = isScript
      ? `${what[0] === 't' ? `T${what.slice(1)}` : what}${where}. ${advice}`
      : `The program is not valid at \`${path ?? 'program'}\`${where}: ${what}. ${advice}`
    const position = at === undefined ? {} : { line: at[0], column: at[1] }
    throw new MandateError(code, message, {
      info: { kind: 'refused', name, instead: advice, ...position, ...(path !== undefined && { path }) },
    })
  }
}

interface Problem {
  readonly what: string
  /** The suggested replacement. */
  readonly advice: string
  readonly name: string
  readonly at?: Position | undefined
  readonly code?: 'INPUT_INVALID' | 'TOOL_UNKNOWN' | undefined
}

function literalType(node: Ex): Receiver | undefined {
  if (node.k !== 'lit') return undefined
  const type = typeof node.value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : undefined
}
