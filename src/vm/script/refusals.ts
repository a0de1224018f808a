/** A JavaScript feature that scripts do not support. */
interface Refusal {
  readonly title: string
  readonly why: string
  /** Equivalent code inside the subset. */
  readonly instead: string
}

/** The names of the rows below. */
export type RefusedFeature =
  | 'this'
  | 'super'
  | 'new-target'
  | 'yield'
  | 'eval'
  | 'import'
  | 'export'
  | 'with'
  | 'arguments'
  | 'delete-name'
  | 'delete-optional'
  | 'bigint'
  | 'private'
  | 'parameter-property'
  | 'await-class'
  | 'decorator'
  | 'debugger'
  | 'await-sync'
  | 'await-parameter'
  | 'await-chain'
  | 'html-comment'
  | 'octal'
  | 'labelled-function'
  | 'enum'
  | 'namespace'
  | 'using'
  | 'proto-key'
  | 'prototype'
  | 'regex'
  | 'back-reference'
  | 'bidi'

/** Features outside the subset. Error messages, the documentation and the text for prompts are generated from this table. */
export const refusals: Readonly<Record<RefusedFeature, Refusal>> = {
  this: {
    title: '`this` outside of functions and classes',
    why: 'there is no global object',
    instead: 'const state = { n: 0 }; state.n += 1',
  },
  super: {
    title: '`super` outside of a class with `extends`',
    why: 'only such a class has a parent',
    instead: 'class B extends A { constructor(x) { super(x) } area() { return super.area() } }',
  },
  'new-target': {
    title: '`new.target` outside of the constructor of a class',
    why: 'only classes know what `new` was used on',
    instead: 'class Shape { constructor() { if (new.target === Shape) throw new Error("abstract") } }',
  },
  yield: {
    title: '`yield` outside of a generator',
    why: 'only the body of a `function*` gives values one by one',
    instead: 'function* items() { yield 1 }',
  },
  eval: { title: '`eval`', why: 'code cannot be made from text', instead: 'const value = JSON.parse(text)' },
  import: {
    title: '`import`',
    why: 'a script has its variables, its built-ins and its granted tools, and nothing else',
    instead: 'const page = await tools.fetch({ url })',
  },
  export: { title: '`export`', why: 'a script has no module around it', instead: 'return { answer }' },
  with: { title: '`with`', why: 'names are resolved before the script runs', instead: 'const { a, b } = object' },
  arguments: {
    title: '`arguments` other than `arguments.length`, `arguments[i]`, `...arguments` and `Array.from(arguments)`',
    why: 'it is no list, and a rest parameter is one',
    instead: 'const sum = (...values) => values.reduce((a, b) => a + b, 0)',
  },
  'delete-name': {
    title: '`delete` of a variable',
    why: 'only properties can be deleted',
    instead: 'delete object.key, or: name = undefined',
  },
  'delete-optional': {
    title: '`delete` through `?.`',
    why: 'the object must exist for its property to be deleted',
    instead: 'if (object) delete object.key',
  },
  bigint: {
    title: 'A BigInt',
    why: 'numbers are doubles, and whole numbers are exact up to 9007199254740991',
    instead:
      '123, and Math.trunc(a / b) to divide. For larger ones keep groups of 7 digits in a list, the lowest first, and carry: digits.map((d) => { const v = d * n + carry; carry = Math.floor(v / 1e7); return v % 1e7 })',
  },
  private: {
    title: 'A private name after `?.`, or a private accessor with `??=`, `||=` or `&&=`',
    why: 'a private name belongs to an object that is there',
    instead: 'class A { #n = 1; sum(other) { return other ? this.#n + other.#n : this.#n } }',
  },
  'parameter-property': {
    title: "TypeScript's `constructor(private name: string)`",
    why: 'it is not only a type',
    instead: 'class A { name: string; constructor(name: string) { this.name = name } }',
  },
  'await-class': {
    title: '`await` after `extends` or in the key of a member',
    why: 'a class is made at once',
    instead: 'const Base = await load(); class A extends Base {}',
  },
  decorator: { title: 'A decorator', why: 'it is not JavaScript yet', instead: 'const f = wrap(g)' },
  debugger: { title: '`debugger`', why: 'there is no debugger to stop in', instead: 'console.log(value)' },
  'await-sync': {
    title: '`await` in a function that is not `async`',
    why: 'only async functions can wait',
    instead: 'const f = async () => { await tools.search({ q }) }',
  },
  'await-parameter': {
    title: '`await` in the default of a parameter',
    why: 'parameters are filled before the function can wait',
    instead: 'async (x) => { const y = x ?? (await load()) }',
  },
  'await-chain': {
    title: '`await` in the arguments of a method called with `?.(`',
    why: 'the method could be another one after the wait',
    instead: 'const x = await f(); object.method?.(x)',
  },
  'html-comment': { title: 'An HTML comment', why: 'it is easily misread', instead: '// a comment' },
  octal: { title: 'A legacy octal', why: 'it is easily misread', instead: 'const n = 0o17' },
  'labelled-function': {
    title: 'A label before a function',
    why: 'it has no meaning in strict code',
    instead: 'function f() {}',
  },
  enum: { title: '`enum`', why: 'it is not only a type', instead: "const Color = { red: 'red', blue: 'blue' }" },
  namespace: { title: '`namespace`', why: 'it is not only a type', instead: 'const shapes = { area: (r) => r * r }' },
  using: { title: '`using`', why: 'nothing needs to be disposed of', instead: 'try { work() } finally { close() }' },
  'proto-key': {
    title: 'A `__proto__` key',
    why: 'it looks like data and is none',
    instead: 'const copy = Object.create(base)',
  },
  prototype: {
    title: 'The prototype of a built-in',
    why: 'built-ins cannot be changed',
    instead: 'Object.hasOwn(object, key)',
  },
  regex: {
    title: 'A regular expression that needs backtracking or old syntax',
    why: 'expressions run in linear time, without what only a backtracking engine or old syntax has',
    instead: 'const value = text.match(/key=(\\w+)/)?.[1]',
  },
  'back-reference': {
    title: 'A back-reference in a regular expression',
    why: 'expressions run in linear time, which a back-reference cannot',
    instead:
      'const twice = text.split(/\\W+/).filter((word, i, words) => word === words[i - 1]); const quoted = text.match(/["\'][^"\']*["\']/g)',
  },
  bidi: {
    title: 'A character that changes the direction of text',
    why: 'a reader of the script would see other code than what runs',
    instead: "const mark = '\\u202e'",
  },
}
