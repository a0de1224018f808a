import type { Expr, Position } from '../../expr/index.ts'
import type { Step } from '../program.ts'
import type { Expression, Statement, Target } from './parser/ast.ts'
import type { Lines } from './lines.ts'
import { checkDepth, refusedProblem, syntaxProblem } from './problem.ts'
import type { RefusedFeature } from './refusals.ts'
import { Home, Scope, boundNames } from './scope.ts'

/** A node or a step while it is being made. */
export type Node = Record<string, unknown> & { at?: Position }

/** What every part of the lowering shares: the scope, temporaries, positions. */
export abstract class Lowering {
  protected readonly source: string
  protected readonly lines: Lines
  private readonly maxDepth: number
  private depth = 0
  private temporaryCount = 0
  /** Where the variables of the whole script go. */
  private readonly top = new Home(false, true)
  protected scope: Scope
  /** Without such iterators, `for await` goes through a list of promises. */
  protected readonly hasAsyncIterators: boolean

  constructor(source: string, lines: Lines, maxDepth: number) {
    this.source = source
    this.hasAsyncIterators = /\basync\b[^;{}()]*\*|asyncIterator/.test(source)
    this.lines = lines
    this.maxDepth = maxDepth
    this.scope = new Scope(undefined, this.top)
  }

  protected abstract expression(node: Expression): Expr
  protected abstract statements(body: readonly Statement[]): Step[]

  protected fail(start: number, message: string): never {
    throw syntaxProblem(this.source, start, message)
  }

  protected refuse(start: number, feature: RefusedFeature): never {
    throw refusedProblem(this.source, start, feature)
  }

  /** Chains as `a.b.c.d` are read without nesting, but they nest as trees. */
  protected deeper<T>(start: number, make: () => T): T {
    this.descend(start)
    const made = make()
    this.ascend()
    return made
  }

  protected descend(start: number): void {
    this.depth += 1
    checkDepth(this.depth, this.maxDepth, this.source, start)
  }

  protected ascend(): void {
    this.depth -= 1
  }

  protected at(start: number): Position {
    return this.lines.at(start)
  }

  /** A name that no source can spell, for a value that is needed twice. */
  protected temporary(home: Home = this.scope.home): string {
    const name = this.hiddenName()
    home.temporaries.push(name)
    return name
  }

  /** The same for a value that is made once in a script, by whichever function needs it first. */
  protected onceInScript(value: Expr): Expr {
    return { $expr: 'assign', op: '??=', target: read(this.temporary(this.top)), value }
  }

  /** The same for a place that declares it itself. */
  protected hiddenName(): string {
    this.temporaryCount += 1
    return `%${this.temporaryCount}`
  }

  protected inScope<T>(scope: Scope, make: () => T): T {
    const outer = this.scope
    this.scope = scope
    const made = make()
    this.scope = outer
    return made
  }

  protected inBlock<T>(make: () => T): T {
    return this.inScope(new Scope(this.scope, this.scope.home), make)
  }

  /** Notes a name of a block; two of one name are an error before anything runs. */
  protected claim(name: string, start: number, kind: 'let' | 'const' | 'function' | 'parameter'): void {
    const { lexical, passing, home } = this.scope
    const isTaken = lexical.has(name) || passing.has(name)
    if (isTaken) this.fail(start, `\`${name}\` is already declared`)
    if (name === 'undefined' && home.isTop) this.fail(start, '`undefined` cannot be declared')
    lexical.set(name, kind)
  }

  protected claimTarget(target: Target, kind: 'let' | 'const' | 'parameter'): void {
    for (const [name, start] of boundNames(target)) this.claim(name, start, kind)
  }

  /** A `var` rises through the blocks around it; none of them may have that name for itself. */
  protected claimVar(name: string, start: number): void {
    const { home } = this.scope
    for (let scope: Scope | undefined = this.scope; scope?.home === home; scope = scope.parent) {
      const kind = scope.lexical.get(name)
      const isFunctionLevel = scope.parent?.home !== home
      if (kind !== undefined && kind !== 'parameter' && !(kind === 'function' && isFunctionLevel)) {
        this.fail(start, `\`${name}\` is already declared`)
      }
      scope.passing.add(name)
    }
    home.vars.add(name)
  }
}

export const UNDEFINED: Expr = Object.freeze({ $expr: 'unary', op: 'void', argument: 0 })

/** Reads a variable. */
export function read(name: string): Node {
  return { $expr: 'ident', name }
}

/** Sets a variable. */
export function write(name: string, value: Expr): Node {
  return { $expr: 'assign', op: '=', target: read(name), value }
}
