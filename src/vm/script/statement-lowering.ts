import type { Expr } from '../../expr/index.ts'
import type { Step } from '../program.ts'
import type {
  Block,
  Declaration,
  Expression,
  ForEach,
  ForStatement,
  FunctionNode,
  Statement,
  SwitchStatement,
  TryStatement,
} from './parser/ast.ts'
import { ClassLowering } from './classes/class-lowering.ts'
import { UNDEFINED, read, write } from './lowering.ts'
import { type Home, awaits, boundNames, mentions, varNames } from './scope.ts'

/** Lowers statements to steps. */
export class StatementLowering extends ClassLowering {
  /** Lowers a whole script. */
  script(body: readonly Statement[]): Step[] {
    const steps = this.functionBody(body, [])
    return steps
  }

  protected functionBody(body: FunctionNode['body'], first: readonly Step[]): Step[] {
    const statements = body as readonly Statement[]
    const { home, lexical } = this.scope
    for (const [name, start] of varNames(statements)) {
      if (!lexical.has(name)) home.vars.add(name)
      else if (lexical.get(name) !== 'parameter') this.fail(start, `\`${name}\` is already declared`)
    }
    const parameters = home.vars.size === 0 ? undefined : new Set(lexical.keys())
    const steps = this.statements(statements)
    const vars = parameters === undefined ? [] : this.varsOf(statements, parameters)
    if (home.constructs !== undefined) return this.constructorBody(home, [...vars, ...first, ...steps])
    return [...this.hidden(home), ...vars, ...first, ...steps]
  }

  /** Lowers the body of a constructor: it creates its object, or leaves that to `super(…)`, and returns it. */
  private constructorBody(home: Home, steps: readonly Step[]): Step[] {
    if (home.constructs === 'base') {
      const value: Expr = { $expr: 'create', argument: read('%new') }
      const fields = (home.fill?.() ?? []).map((one): Step => ({ op: 'expr', value: one }))
      const made: Step = { op: 'let', kind: 'let', name: '%this', value }
      return [...this.hidden(home), made, ...fields, ...steps, { op: 'return', value: read('%this') }]
    }
    const made: Step = { op: 'let', kind: 'let', name: '%this' }
    const end: Step = { op: 'return', value: this.thisRead(0) }
    // A declaration that is never executed, so that reading `this` before `super(…)` is reading a name before its declaration.
    const unset: Step[] = home.callsSuperFirst ? [] : [{ op: 'let', kind: 'let', name: 'this' }]
    return [...this.hidden(home), made, ...steps, end, ...unset]
  }

  /** Lowers a `return`: a constructor returns its object unless it returns another one; an asynchronous generator awaits the value. */
  private returned(value: Expression | undefined, start: number): Expr {
    const { home } = this.scope
    const made = value === undefined ? UNDEFINED : this.expression(value)
    if (home.isAsyncGenerator && value !== undefined) return this.node(start, { $expr: 'await', argument: made })
    if (home.constructs === undefined) return made
    const self = this.thisRead(value?.start ?? 0)
    if (value === undefined) return self
    const name = this.temporary()
    const type: Expr = { $expr: 'unary', op: 'typeof', argument: read(name) }
    const isObject: Expr = {
      $expr: 'logical',
      op: '&&',
      left: { $expr: 'binary', op: '===', left: type, right: 'object' },
      right: { $expr: 'binary', op: '!==', left: read(name), right: null },
    }
    const isFunction: Expr = { $expr: 'binary', op: '===', left: type, right: 'function' }
    const test: Expr = { $expr: 'logical', op: '||', left: isObject, right: isFunction }
    const given: Expr = { $expr: 'conditional', test, consequent: read(name), alternate: self }
    return { $expr: 'sequence', expressions: [write(name, made), given] }
  }

  /** Declares the `var` names of a function that are neither its parameters nor its functions. */
  private varsOf(statements: readonly Statement[], parameters: ReadonlySet<string>): Step[] {
    const functions = new Set(statements.flatMap((one) => (one.type === 'function-declaration' ? [one.name] : [])))
    return [...this.scope.home.vars]
      .filter((name) => !parameters.has(name) && !functions.has(name))
      .map((name) => ({ op: 'let', kind: 'let', name }))
  }

  /** Lowers a list of statements in the current scope. Its names are known before its first statement. */
  protected statements(body: readonly Statement[]): Step[] {
    for (const one of body) this.note(one)
    const steps: Step[] = []
    for (const one of body) for (const step of this.statement(one)) steps.push(step)
    return steps
  }

  private note(one: Statement): void {
    if (one.type === 'function-declaration') this.noteFunction(one.name, one.start)
    else if (one.type === 'class-declaration') this.claim(one.name, one.start, 'let')
    else if (one.type === 'declare' && one.kind !== 'var') {
      for (const item of one.items) this.claimTarget(item.target, one.kind)
    }
  }

  /** Declares a function. At the top level of a function, functions may have the names of others and of parameters, as `var` may. */
  private noteFunction(name: string, start: number): void {
    const { scope } = this
    const isTop = scope.parent?.home !== scope.home
    const known = scope.lexical.get(name)
    if (isTop && (known === 'function' || known === 'parameter')) scope.lexical.set(name, 'function')
    else if (isTop && known === undefined) scope.lexical.set(name, 'function')
    else this.claim(name, start, 'function')
  }

  private block(body: readonly Statement[]): Step[] {
    return this.inBlock(() => this.statements(body))
  }

  /** Lowers the body of an `if` or a loop to a list. */
  private body(one: Statement): Step[] {
    return one.type === 'block' ? this.block(one.body) : this.inBlock(() => this.statement(one))
  }

  private statement(one: Statement): Step[] {
    this.descend(one.start)
    const made = this.steps(one)
    this.ascend()
    return made
  }

  private steps(one: Statement): Step[] {
    const at = this.at(one.start)
    switch (one.type) {
      case 'empty':
        return []
      case 'declare':
        return this.declarations(one)
      case 'function-declaration':
        return [{ op: 'function', name: one.name, ...this.functionParts(one.value), at }]
      case 'class-declaration':
        return [{ op: 'let', kind: 'let', name: one.name, value: this.classExpression(one.value), at }]
      case 'expression':
        return [{ op: 'expr', value: this.expression(one.value), at }]
      case 'block':
        return [{ op: 'block', body: this.block(one.body), at }]
      case 'if': {
        const step = { op: 'if', condition: this.expression(one.test), then: this.body(one.then), at }
        return [one.otherwise === undefined ? step : { ...step, else: this.body(one.otherwise) }]
      }
      case 'return':
        return [{ op: 'return', value: this.returned(one.value, one.start), at }]
      case 'throw':
        return [{ op: 'throw', value: this.expression(one.value), at }]
      case 'break':
      case 'continue':
        return [this.jump(one)]
      case 'label':
        return [this.label(one)]
      case 'try':
        return [this.tryStep(one)]
      case 'switch':
        return [this.switchStep(one)]
      default:
        return [this.loop(one)]
    }
  }

  private declarations(one: Declaration): Step[] {
    if (one.kind === 'var') {
      for (const [name, start] of varNames([one])) this.claimVar(name, start)
    }
    return one.items.flatMap(({ target, value }) => {
      if (value !== undefined) return this.declaration(one.kind, target, this.named(value, target))
      if (target.type !== 'identifier' || one.kind === 'var') return []
      return [{ op: 'let', kind: one.kind, name: target.name, at: this.at(target.start) }]
    })
  }

  private loop(one: Statement & { type: 'while' | 'do-while' | 'for' | 'for-of' | 'for-in' }): Step {
    const at = this.at(one.start)
    if (one.type === 'while') {
      return { op: 'while', condition: this.expression(one.test), body: this.loopBody(one.body), at }
    }
    if (one.type === 'do-while') {
      return { op: 'doWhile', body: this.loopBody(one.body), condition: this.expression(one.test), at }
    }
    return one.type === 'for' ? this.forStep(one) : this.eachStep(one)
  }

  private loopBody(one: Statement): Step[] {
    return this.inLoop(() => this.body(one))
  }

  private inLoop<T>(make: () => T): T {
    const { home } = this.scope
    home.loops += 1
    const made = make()
    home.loops -= 1
    return made
  }

  private forStep(one: ForStatement): Step {
    return this.inBlock(() => {
      const step: Record<string, unknown> = { op: 'for' }
      const { init } = one
      if (init?.type === 'declare') {
        this.note(init)
        step['init'] = this.declarations(init)
      } else if (init !== undefined) step['init'] = [{ op: 'expr', value: this.expression(init) }]
      if (one.test !== undefined) step['condition'] = this.expression(one.test)
      if (one.update !== undefined) step['update'] = this.expression(one.update)
      step['body'] = this.loopBody(one.body)
      step['at'] = this.at(one.start)
      return step as unknown as Step
    })
  }

  private eachStep(one: ForEach): Step {
    const own = this.shadowing(one)
    if (own.length > 0) return this.shadowedEach(one, own, (source) => this.eachOver(one, read(source)))
    return this.eachOver(one, one.type === 'for-of' ? this.listed(one.source) : this.expression(one.source))
  }

  /** Returns the names of the loop head, if the iterated expression uses them. */
  private shadowing(one: ForEach): readonly string[] {
    const own = one.kind === undefined || one.kind === 'var' ? [] : boundNames(one.target).map(([name]) => name)
    return own.length > 0 && mentions(one.source, own) ? own : []
  }

  /** Lowers a loop whose iterated expression uses names of the loop head, which are then in their temporal dead zone. */
  private shadowedEach(one: ForEach, own: readonly string[], loop: (source: string) => Step): Step {
    return this.inBlock(() => {
      for (const name of own) this.claim(name, one.start, 'let')
      const source = this.temporary()
      const first: Step = { op: 'expr', value: write(source, this.expression(one.source)), at: this.at(one.start) }
      const hidden = own.map((name): Step => ({ op: 'let', kind: 'let', name }))
      const label = this.hiddenName()
      const body: Step[] = [first, loop(source), { op: 'break', label }, ...hidden]
      return { op: 'labeled', label, body: { op: 'block', body } }
    })
  }

  private eachOver(one: ForEach, given: Expr): Step {
    const isAwait = one.isAwait && this.hasAsyncIterators
    const each = isAwait ? { op: 'forOf', await: true, items: given } : { op: 'forOf', items: given }
    const source = one.type === 'for-of' ? each : { op: 'forIn', object: given }
    const at = this.at(one.start)
    return this.inBlock(() => {
      const { kind, target } = one
      if (kind === 'var') for (const [name, start] of varNames([one])) this.noteEachVar(one, name, start)
      else if (kind !== undefined) this.claimTarget(target, kind)
      if (kind !== undefined && kind !== 'var' && target.type === 'identifier' && (!one.isAwait || isAwait)) {
        return { ...source, kind, name: target.name, body: this.loopBody(one.body), at }
      }
      const name = this.hiddenName()
      const plain = read(name)
      const value = one.isAwait && !isAwait ? ({ $expr: 'await', argument: plain, at } as Expr) : plain
      const set = kind === undefined ? [this.assignStep(one, value)] : this.declaration(kind, target, value)
      return { ...source, kind: 'const', name, body: [...set, ...this.loopBlock(one.body)], at }
    })
  }

  /** Lowers the body of a loop. The names of the head have a separate scope around it, which the body may hide. */
  private loopBlock(one: Statement): Step[] {
    return [{ op: 'block', body: this.loopBody(one) }]
  }

  private noteEachVar(one: ForEach, name: string, start: number): void {
    if (varNames([{ ...one, body: { type: 'empty', start } }]).some(([own]) => own === name)) this.claimVar(name, start)
  }

  private assignStep(one: ForEach, value: Expr): Step {
    const { target } = one
    if (target.type !== 'identifier' && target.type !== 'member') {
      return { op: 'expr', value: this.patternAssignment(target, value) }
    }
    const to = this.expression(target)
    return { op: 'expr', value: { $expr: 'assign', op: '=', target: to, value, at: this.at(one.start) } }
  }

  private jump(one: Statement & { type: 'break' | 'continue' }): Step {
    const { home } = this.scope
    const at = this.at(one.start)
    if (one.label === undefined) {
      if (home.loops === 0 && (one.type === 'continue' || home.switches === 0)) {
        this.fail(one.start, `\`${one.type}\` stands outside of a loop`)
      }
      return { op: one.type, at }
    }
    const label = home.labels.find(({ name }) => name === one.label)
    if (label === undefined) this.fail(one.start, `There is no label \`${one.label}\` around this`)
    if (one.type === 'continue' && !label.isLoop) this.fail(one.start, `\`${one.label}\` is not the label of a loop`)
    return { op: one.type, label: one.label, at }
  }

  /** Lowers a labelled loop whose list is evaluated before it, because it must be awaited or uses names of the loop: the labels stay with the loop. */
  private label(one: Statement & { type: 'label' }): Step {
    let inner: Statement = one
    while (inner.type === 'label') inner = inner.body
    if (inner.type !== 'for-of' && inner.type !== 'for-in') return this.labelled(one)
    const each: ForEach = inner
    const loopOver = (name: string): Step => {
      const loop: Statement = { ...each, source: { type: 'identifier', start: each.source.start, name } }
      const relabelled = (body: Statement): Statement =>
        body.type === 'label' ? { ...body, body: relabelled(body.body) } : loop
      return this.labelled(relabelled(one) as Statement & { type: 'label' })
    }
    const own = this.shadowing(each)
    if (own.length > 0) return this.shadowedEach(each, own, loopOver)
    if (!awaits(each.source)) return this.labelled(one)
    const name = this.temporary()
    const first: Step = { op: 'expr', value: write(name, this.expression(each.source)), at: this.at(each.start) }
    return { op: 'block', body: [first, loopOver(name)] }
  }

  private labelled(one: Statement & { type: 'label' }): Step {
    const { home } = this.scope
    const { labels } = home
    if (labels.some(({ name }) => name === one.label)) this.fail(one.start, `The label \`${one.label}\` is used twice`)
    let inner = one.body
    while (inner.type === 'label') inner = inner.body
    const isLoop = ['for', 'for-of', 'for-in', 'while', 'do-while'].includes(inner.type)
    home.labels = [...labels, { name: one.label, isLoop }]
    const [body, ...more] = this.statement(one.body)
    home.labels = labels
    const step = body !== undefined && more.length === 0 ? body : { op: 'block', body: body ? [body, ...more] : [] }
    return { op: 'labeled', label: one.label, body: step, at: this.at(one.start) }
  }

  private tryStep(one: TryStatement): Step {
    const step: Record<string, unknown> = { op: 'try', try: this.block(one.block.body) }
    if (one.handler !== undefined) this.catchPart(one, one.handler, step)
    if (one.finalizer !== undefined) step['finally'] = this.block(one.finalizer.body)
    step['at'] = this.at(one.start)
    return step as unknown as Step
  }

  private catchPart(one: TryStatement, handler: Block, step: Record<string, unknown>): void {
    const { parameter } = one
    if (parameter === undefined) {
      step['catch'] = this.block(handler.body)
      return
    }
    this.inBlock(() => {
      // As in JavaScript, a `var` may have the name of a plain catch parameter.
      this.claimTarget(parameter, parameter.type === 'identifier' ? 'parameter' : 'let')
      for (const item of handler.body) {
        // For errors, the parameter and the block are one scope.
        if (item.type === 'function-declaration') this.claim(item.name, item.start, 'function')
        else if (item.type === 'class-declaration') this.claim(item.name, item.start, 'let')
        else if (item.type === 'declare' && item.kind !== 'var') {
          for (const declared of item.items) this.claimTarget(declared.target, 'let')
        }
      }
      if (parameter.type === 'identifier') {
        step['param'] = parameter.name
        step['catch'] = this.block(handler.body)
        return
      }
      const name = this.hiddenName()
      step['param'] = name
      const first = this.declaration('let', parameter, read(name))
      step['catch'] = [...first, { op: 'block', body: this.block(handler.body) }]
    })
  }

  private switchStep(one: SwitchStatement): Step {
    const isWaiting = one.cases.some(({ test }) => awaits(test))
    const value = isWaiting ? this.chosenCase(one) : this.expression(one.value)
    const { home } = this.scope
    home.switches += 1
    const cases = this.inBlock(() => {
      for (const { body } of one.cases) for (const item of body) this.note(item)
      return one.cases.map(({ test, body }, index) => {
        const steps = body.flatMap((item) => this.statement(item))
        if (isWaiting) return { test: index, body: steps }
        return test === undefined ? { body: steps } : { test: this.expression(test), body: steps }
      })
    })
    home.switches -= 1
    return { op: 'switch', value, cases, at: this.at(one.start) }
  }

  /** Selects the case by its number first if a test waits: one condition after another, in the order of the tests. */
  private chosenCase(one: SwitchStatement): Expr {
    const name = this.temporary()
    const otherwise: Expr = one.cases.findIndex(({ test }) => test === undefined)
    const chain = one.cases.reduceRight((rest: Expr, { test }, index): Expr => {
      if (test === undefined) return rest
      const equal = { $expr: 'binary', op: '===', left: read(name), right: this.expression(test) }
      return { $expr: 'conditional', test: equal, consequent: index, alternate: rest }
    }, otherwise)
    return { $expr: 'sequence', expressions: [write(name, this.expression(one.value)), chain] }
  }
}
