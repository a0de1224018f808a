import type { Expr } from '../../../expr/index.ts'
import type { Step } from '../../program.ts'
import type { ClassMember, ClassNode, Expression, FunctionNode, PrivateName, Statement } from '../parser/ast.ts'
import { type Node, UNDEFINED, read } from '../lowering.ts'
import { Home, Scope, awaits, boundNames, mentions, varNames } from '../scope.ts'
import { type PrivateEntry, ReceiverLowering } from './receiver-lowering.ts'

/** The variables of one class: its parent, its field initializer, and the class itself. */
interface ClassNames {
  readonly self: string
  readonly parent: string | undefined
  readonly fields: string | undefined
}

/** Lowers a class to a function that creates it, so that each class has its own variables. */
export abstract class ClassLowering extends ReceiverLowering {
  private classCount = 0

  /** `name` is that of the variable it is assigned to, for an anonymous class. */
  protected classExpression(node: ClassNode, name: string | undefined = node.name): Expr {
    if (awaits(node.parent) || node.members.some(({ key }) => awaits(key))) this.refuse(node.start, 'await-class')
    this.classCount += 1
    const at = this.classCount
    const home = new Home(false, false)
    home.isArrow = true
    home.outer = this.scope.home
    this.privateNames.push(privateNames(node, at))
    const body = this.inScope(new Scope(this.scope, home), () => {
      if (node.name !== undefined) this.claim(node.name, node.start, 'const')
      const steps = this.classSteps(node, name ?? '', at)
      return [...this.hidden(home), ...steps]
    })
    this.privateNames.pop()
    return this.node(node.start, { $expr: 'call', callee: { $expr: 'function', params: [], body }, arguments: [] })
  }

  private classSteps(node: ClassNode, name: string, at: number): Step[] {
    const { members } = node
    const isInline = canInline(node)
    const names: ClassNames = {
      self: node.name ?? `%class${at}`,
      parent: node.parent === undefined ? undefined : `%parent${at}`,
      fields: !isInline && members.some(isFilled) ? `%fields${at}` : undefined,
    }
    const first: Step[] = []
    if (node.parent !== undefined) first.push(constant(names.parent!, this.expression(node.parent)))
    // Keys of fields are computed once, with the class.
    const keys = new Map<ClassMember, string>()
    for (const member of members) {
      if (member.kind !== 'field' || typeof member.key === 'string' || member.key.type === 'private') continue
      const key = this.hiddenName()
      keys.set(member, key)
      first.push(constant(key, this.expression(member.key)))
    }
    const parts: ClassParts = { node, names, keys, methods: this.privateMethods(members, names) }
    if (names.fields !== undefined) first.push(constant(names.fields, this.fieldsFunction(parts)))
    const made: Node = {
      $expr: 'class',
      ...(names.parent === undefined ? {} : { parent: read(names.parent) }),
      constructor: this.constructorNode(name, parts),
      members: members.filter(isListed).map((member) => this.classMember(member, names)),
    }
    return [
      ...first,
      ...parts.methods.map(({ name: variable, value }) => constant(variable, value)),
      { op: 'let', kind: 'const', name: names.self, value: this.node(node.start, made), at: this.at(node.start) },
      ...this.staticParts(parts),
      { op: 'return', value: read(names.self) },
    ]
  }

  /** A method, getter or setter. */
  private classMember(member: ClassMember, names: ClassNames): Record<string, unknown> {
    const { key, kind, isStatic } = member
    return {
      kind,
      ...(isStatic ? { static: true } : {}),
      ...(typeof key === 'string' ? { key } : { key: this.expression(key), computed: true }),
      value: this.methodNode(member, names),
    }
  }

  private methodNode({ value, isStatic, key }: ClassMember, names: ClassNames): Expr {
    const node = value as FunctionNode
    const made: Node = { $expr: 'function' }
    const name = typeof key === 'string' ? key : key.type === 'private' ? key.name : undefined
    if (name !== undefined) made['name'] = name
    const parts = this.functionParts(node, (home) => {
      if (names.parent !== undefined) home.superOf = { parent: names.parent, isStatic }
    })
    return this.node(node.start, Object.assign(made, parts))
  }

  private constructorNode(name: string, parts: ClassParts): Expr {
    const { node, names } = parts
    const fn = constructorOf(node)
    const made = this.functionParts(fn, (home) => {
      home.constructs = names.parent === undefined ? 'base' : 'derived'
      home.fill = () =>
        names.fields === undefined
          ? this.fieldValues(parts)
          : [{ $expr: 'call', callee: read(names.fields), arguments: [read('%this')] }]
      if (names.parent !== undefined) home.superOf = { parent: names.parent, isStatic: false }
      home.callsSuperFirst = isSuperFirst(fn.body as readonly Statement[])
    })
    return this.node(node.start, { $expr: 'function', name, ...made })
  }

  /** Creates the private methods once, with the class; all objects share them. */
  private privateMethods(members: readonly ClassMember[], names: ClassNames): PrivateMethod[] {
    return members.filter(isPrivateMethod).map((member) => {
      const { key } = this.privateEntry((member.key as PrivateName).name, member.start)
      const place = member.kind === 'method' ? key : `${member.kind} ${key}`
      return { name: this.hiddenName(), place, isStatic: member.isStatic, value: this.methodNode(member, names) }
    })
  }

  /** Makes the private methods and the fields of the object in `%this`. */
  private fieldValues({ node, keys, methods }: ClassParts): Expr[] {
    const fields = node.members.filter((member) => member.kind === 'field' && !member.isStatic)
    const own = methods.filter(({ isStatic }) => !isStatic)
    return [
      ...own.map(({ place, name }) => this.privateValue('%this', place, read(name), node.start)),
      ...fields.map((field) => this.fieldValue(field, '%this', keys)),
    ]
  }

  /** Creates a function that initializes the fields, in a scope separate from that of the constructor. */
  private fieldsFunction(parts: ClassParts): Expr {
    return this.initializer('%this', parts, false, () =>
      this.fieldValues(parts).map((value) => ({ op: 'expr', value })),
    )
  }

  /** Static fields and blocks, in the order of the source; `this` is the class. */
  private staticParts(parts: ClassParts): Step[] {
    const { node, names, keys, methods } = parts
    const { self } = names
    const own = methods.filter(({ isStatic }) => isStatic)
    const made = node.members
      .filter(({ kind, isStatic }) => isStatic && (kind === 'field' || kind === 'block'))
      .map((member): Step => {
        const at = this.at(member.start)
        const callee = this.initializer(self, parts, true, () =>
          member.kind === 'field'
            ? [{ op: 'expr', value: this.fieldValue(member, self, keys), at }]
            : this.statements((member.value as FunctionNode).body as readonly Statement[]),
        )
        return { op: 'expr', value: { $expr: 'call', callee, arguments: [] }, at }
      })
    const first = own.map(({ place, name }): Step => ({
      op: 'expr',
      value: this.privateValue(self, place, read(name), node.start),
    }))
    return [...first, ...made]
  }

  /** A function in which `this` is a variable: its parameter, or the class itself. */
  private initializer(thisName: string, { node, names }: ClassParts, isStatic: boolean, steps: () => Step[]): Expr {
    const home = new Home(false, false)
    home.outer = this.scope.home
    home.thisName = thisName
    home.isInitializer = true
    if (names.parent !== undefined) home.superOf = { parent: names.parent, isStatic }
    return this.inScope(new Scope(this.scope, home), () => {
      const made = steps()
      const vars = [...home.vars].map((name): Step => ({ op: 'let', kind: 'let', name }))
      const params = thisName === '%this' ? [{ name: thisName }] : []
      return this.node(node.start, { $expr: 'function', params, body: [...this.hidden(home), ...vars, ...made] })
    })
  }

  private fieldValue(member: ClassMember, self: string, keys: ReadonlyMap<ClassMember, string>): Expr {
    const { key, value, start } = member
    const name = typeof key === 'string' ? key : key.type === 'private' ? key.name : undefined
    const made = value === undefined ? UNDEFINED : name === undefined ? this.expression(value) : this.named(value, name)
    if (isPrivate(key)) return this.privateValue(self, this.privateEntry(key.name, start).key, made, start)
    const place = typeof key === 'string' ? { property: key } : { property: read(keys.get(member)!), computed: true }
    return this.node(start, { $expr: 'define', object: read(self), ...place, value: made })
  }

  private privateValue(self: string, place: string, value: Expr, start: number): Expr {
    const object = this.node(start, { $expr: 'private', object: read(self), name: place, act: 'define' })
    return this.node(start, { $expr: 'define', object, property: place, value })
  }
}

/** A class during its lowering: the data shared by its parts. */
interface ClassParts {
  readonly node: ClassNode
  readonly names: ClassNames
  /** The variables with the computed keys of fields. */
  readonly keys: ReadonlyMap<ClassMember, string>
  readonly methods: readonly PrivateMethod[]
}

interface PrivateMethod {
  /** The variable that holds it. */
  readonly name: string
  /** Its key among the private properties. */
  readonly place: string
  readonly isStatic: boolean
  readonly value: Expr
}

function constant(name: string, value: Expr): Step {
  return { op: 'let', kind: 'const', name, value }
}

function isConstructor({ key, kind, isStatic }: ClassMember): boolean {
  return key === 'constructor' && kind === 'method' && !isStatic
}

function isPrivate(key: string | Expression): key is PrivateName {
  return typeof key !== 'string' && key.type === 'private'
}

function isPrivateMethod({ key, kind }: ClassMember): boolean {
  return isPrivate(key) && kind !== 'field' && kind !== 'block'
}

/** Whether a member is on the prototype or the class from the start. */
function isListed(member: ClassMember): boolean {
  return member.kind !== 'field' && member.kind !== 'block' && !isPrivate(member.key) && !isConstructor(member)
}

/** Whether a member is created with each object. */
function isFilled(member: ClassMember): boolean {
  return !member.isStatic && (member.kind === 'field' || isPrivateMethod(member))
}

/** The private names of a class, with keys that no other class has. */
function privateNames({ members }: ClassNode, at: number): Map<string, PrivateEntry> {
  const names = new Map<string, PrivateEntry>()
  for (const { key, kind } of members) {
    if (!isPrivate(key)) continue
    const what = kind === 'get' || kind === 'set' ? 'accessor' : kind === 'method' ? 'method' : 'field'
    names.set(key.name, { key: `${key.name}:${at}`, kind: what })
  }
  return names
}

function constructorOf(node: ClassNode): FunctionNode {
  return (node.members.find(isConstructor)?.value as FunctionNode | undefined) ?? defaultConstructor(node)
}

/** Whether the fields can be initialized in the constructor, because none of their names conflicts with one of the constructor. */
function canInline(node: ClassNode): boolean {
  const { parameters, rest, body } = constructorOf(node)
  const statements = body as readonly Statement[]
  const targets = [...parameters, ...(rest === undefined ? [] : [rest])].flatMap((target) => boundNames(target))
  const names = [...targets, ...varNames(statements)].map(([name]) => name)
  for (const one of statements)
    if (one.type === 'declare')
      names.push(...one.items.flatMap((item) => boundNames(item.target)).map(([name]) => name))
    else if (one.type === 'function-declaration' || one.type === 'class-declaration') names.push(one.name)
  return !node.members.some((member) => isFilled(member) && member.kind === 'field' && mentions(member.value, names))
}

/** Creates the default constructor: it does nothing, or passes its arguments to the parent. */
function defaultConstructor({ start, parent }: ClassNode): FunctionNode {
  const args: Expression = { type: 'identifier', start, name: '%args' }
  const superCall: Expression = { type: 'super-call', start, args: [{ type: 'spread', start, value: args }] }
  return {
    type: 'function',
    start,
    name: undefined,
    parameters: [],
    rest: parent === undefined ? undefined : args,
    body: parent === undefined ? [] : [{ type: 'expression', start, value: superCall }],
    isAsync: false,
    isGenerator: false,
    isArrow: false,
    isMethod: true,
  }
}

/** Whether `super(…)` is the first statement of a constructor, so that `this` exists in all others. */
function isSuperFirst([first]: readonly Statement[]): boolean {
  if (first?.type !== 'expression' || first.value.type !== 'super-call') return false
  return !JSON.stringify(first.value.args).includes('"type":"this"')
}
