/** One thing of JavaScript that scripts do without. */
interface Refusal {
  readonly title: string
  readonly why: string
  /** Code that does the same inside the subset. */
  readonly instead: string
}

/** The names of the rows below. */
export type RefusedFeature =
  | 'this'
  | 'class'
  | 'super'
  | 'new'
  | 'new-target'
  | 'generator'
  | 'yield'
  | 'eval'
  | 'import'
  | 'export'
  | 'accessor'
  | 'with'
  | 'arguments'
  | 'tagged-template'
  | 'delete-name'
  | 'delete-optional'
  | 'bigint'
  | 'private'
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

/** What the subset leaves out. Error messages, the documentation and the text for prompts all come from this table. */
export const refusals: Readonly<Record<RefusedFeature, Refusal>> = {
  this: {
    title: '`this`',
    why: 'functions get everything through their parameters and the variables around them',
    instead: 'const counter = { n: 0 }; const add = () => { counter.n += 1 }',
  },
  class: {
    title: '`class`',
    why: 'there are no prototypes',
    instead: 'const makePoint = (x, y) => ({ x, y, length: () => Math.hypot(x, y) })',
  },
  super: { title: '`super`', why: 'there are no prototypes', instead: 'call the other function by its name' },
  new: {
    title: '`new` of your own functions',
    why: 'only built-ins are constructed: Map, Set, Date, RegExp, Array, Promise, the Error types and those of Intl',
    instead: 'const point = makePoint(1, 2)',
  },
  'new-target': { title: '`new.target`', why: 'functions are only called', instead: 'pass a parameter' },
  generator: {
    title: 'A generator function',
    why: 'only `async` functions can pause',
    instead: 'const items = []; for (const x of source) items.push(x)',
  },
  yield: { title: '`yield`', why: 'there are no generators', instead: 'collect the items in an array and return it' },
  eval: { title: '`eval`', why: 'code cannot be made from text', instead: 'const value = JSON.parse(text)' },
  import: {
    title: '`import`',
    why: 'a script has its variables, its built-ins and its granted tools, and nothing else',
    instead: 'const page = await tools.fetch({ url })',
  },
  export: { title: '`export`', why: 'a script has no module around it', instead: 'return { answer }' },
  accessor: {
    title: 'A getter or setter',
    why: 'reading a property never runs code',
    instead: '{ area: () => width * height }',
  },
  with: { title: '`with`', why: 'names are resolved before the script runs', instead: 'const { a, b } = object' },
  arguments: {
    title: '`arguments`',
    why: 'parameters are named',
    instead: 'const sum = (...values) => values.reduce((a, b) => a + b, 0)',
  },
  'tagged-template': {
    title: 'A tagged template',
    why: 'a template is only text',
    instead: 'tag(["a", "b"], value)',
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
    why: 'numbers are doubles, and their size is known',
    instead: '123 (or a string where more than 15 digits matter)',
  },
  private: { title: 'A private name', why: 'there are no classes', instead: 'keep it in a variable of a closure' },
  decorator: { title: 'A decorator', why: 'there are no classes', instead: 'const f = wrap(g)' },
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
    why: 'objects have no prototype',
    instead: 'const copy = { ...base, extra: 1 }',
  },
  prototype: {
    title: 'The prototype of a built-in',
    why: 'there are no prototypes, and built-ins cannot be changed',
    instead: 'Object.hasOwn(object, key)',
  },
  regex: {
    title: 'This regular expression',
    why: 'expressions run in linear time, without what only a backtracking engine or old syntax has',
    instead: 'const value = text.match(/key=(\\w+)/)?.[1]',
  },
  'back-reference': {
    title: 'A back-reference in a regular expression',
    why: 'expressions run in linear time, which a back-reference cannot',
    instead: 'const words = text.split(/\\W+/); const twice = words.filter((word, i) => word === words[i - 1])',
  },
  bidi: {
    title: 'A character that changes the direction of text',
    why: 'a reader of the script would see other code than what runs',
    instead: "const mark = '\\u202e'",
  },
}
