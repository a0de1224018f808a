import type { Expr, Position } from '../../expr/index.ts'
import type { Step } from '../program.ts'
import type { Expression, Statement, Target } from './parser/ast.ts'
import type { Lines } from './lines.ts'
import { checkDepth, refusedProblem, syntaxProblem } from './problem.ts'
import type { RefusedFeature } from './refusals.ts'
import { Home, Scope, boundNames } from './scope.ts'

/** A node or a step under construction. */
export type Node = Record<string, unknown> & { at?: Position }

/** State shared by all parts of the lowering: the scope, temporaries, positions. */
export abstract class Lowering {
  protected readonly source: string
  protected readonly lines: Lines
  private readonly maxDepth: number
  private depth = 0
  private temporaryCount = 0
  /** The variables of the whole script. */
  private readonly top = new Home(false, true)
  protected scope: Scope
  /** Whether the script has asynchronous iterators. Otherwise `for await` iterates over a list of promises. */
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

  /** Tracks the depth of chains such as `a.b.c.d`, which are parsed without recursion but are nested as trees. */
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

  /** Returns a name that no source can contain, for a value that is used twice. */
  protected temporary(home: Home = this.scope.home): string {
    const name = this.hiddenName()
    home.temporaries.push(name)
    return name
  }

  /** Returns an expression for a value that is created once in a script, by the first function that needs it. */
  protected onceInScript(value: Expr): Expr {
    return { $expr: 'assign', op: '??=', target: read(this.temporary(this.top)), value }
  }

  /** Returns a hidden name for a place that declares it itself. */
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

  /** Declares a name of a block; duplicates are an error before anything runs. */
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

  /** Hoists a `var` through the enclosing blocks; none of them may declare that name itself. */
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
