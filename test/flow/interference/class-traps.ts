/** Ways in which untrusted data reaches what is shown through classes, prototypes, accessors and `this`. */
export const CLASS_TRAPS: readonly (readonly [string, string])[] = [
  ['a field of an object', `class A { constructor(x) { this.x = x } } await tools.sink({ x: new A(u.n).x })`],
  [
    'a private field',
    `class A { #x; constructor(x) { this.#x = x } get() { return this.#x } } await tools.sink({ x: new A(u.n).get() })`,
  ],
  [
    'a method that was not called',
    `class A { x = 0; put() { this.x = 1 } } const a = new A(); if (u.b) a.put(); await tools.sink({ x: a.x })`,
  ],
  [
    'a private field that a method may have set',
    `class A { #x = 0; put() { this.#x = 1 } get x() { return this.#x } } const a = new A(); if (u.b) a.put(); await tools.sink({ x: a.x })`,
  ],
  [
    'a setter that was not run',
    `let x = 0; const o = { set to(v) { x = v } }; if (u.b) o.to = 1; await tools.sink({ x })`,
  ],
  [
    'a setter of a prototype, given what is labelled',
    `class A { n = 0; set to(v) { this.n = v } } const a = new A(); a.to = u.n; await tools.sink({ x: a.n })`,
  ],
  [
    'a getter that was not run',
    `let x = 0; const o = { get at() { x++; return 1 } }; if (u.b) o.at; await tools.sink({ x })`,
  ],
  [
    'a getter that a built-in runs',
    `let x = 0; const o = { get at() { x++; return 1 } }; if (u.b) JSON.stringify(o); await tools.sink({ x })`,
  ],
  ['what a getter read', `const o = { get at() { return u.n } }; await tools.sink({ x: o.at, o })`],
  ['what a getter read, spread', `const o = { get at() { return u.n } }; await tools.sink({ ...o })`],
  [
    'what a getter read, compounded',
    `const o = { get at() { return u.n }, set at(v) {} }; let x = (o.at += 1); await tools.sink({ x })`,
  ],
  ['a static', `class A { static n = 0 } if (u.b) A.n = 1; await tools.sink({ x: A.n })`],
  [
    'a private static',
    `class A { static #n = 0; static put() { A.#n = 1 } static get() { return A.#n } } if (u.b) A.put(); await tools.sink({ x: A.get() })`,
  ],
  ['a property of a function', `const f = () => 1; if (u.b) f.n = 1; await tools.sink({ x: f.n })`],
  [
    'a property of a prototype',
    `class A {} const a = new A(); if (u.b) A.prototype.n = 1; await tools.sink({ x: a.n })`,
  ],
  [
    'a method that was put into an object',
    `class A { m() { return 0 } } const a = new A(); if (u.b) a.m = () => 1; await tools.sink({ x: a.m() })`,
  ],
  [
    'a method of a prototype that was replaced',
    `class A { m() { return 0 } } if (u.b) A.prototype.m = () => 1; await tools.sink({ x: new A().m() })`,
  ],
  ['a class that was chosen', `const C = u.b ? class { x = 1 } : class { x = 2 }; await tools.sink({ x: new C().x })`],
  [
    'a parent that was chosen',
    `class A extends (u.b ? class { m() { return 1 } } : class { m() { return 2 } }) {} await tools.sink({ x: new A().m() })`,
  ],
  [
    'a method of a parent that was chosen',
    `class A extends (u.b ? class { m() { return 1 } } : class { m() { return 2 } }) { k() { return super.m() } } await tools.sink({ x: new A().k() })`,
  ],
  [
    'what a constructor did outside',
    `let x = 0; class A { constructor() { x = 1 } } if (u.b) new A(); await tools.sink({ x })`,
  ],
  ['what a field did outside', `let x = 0; class A { n = x++ } if (u.b) new A(); await tools.sink({ x })`],
  [
    'what a parent did outside',
    `let x = 0; class A { constructor() { x++ } } class B extends A {} if (u.b) new B(); await tools.sink({ x })`,
  ],
  [
    'an object that a constructor changed',
    `const o = { x: 0 }; class A { constructor(p) { p.x = 1 } } if (u.b) new A(o); await tools.sink({ x: o.x })`,
  ],
  [
    'an object that a constructor kept and a method changed',
    `const o = { x: 0 }; class A { constructor(p) { this.p = p } put() { this.p.x = 1 } } const a = new A(o); if (u.b) a.put(); await tools.sink({ x: o.x })`,
  ],
  ['whether something is of a class', `class A {} await tools.sink({ x: (u.b ? new A() : {}) instanceof A })`],
  [
    'whether there is a private name',
    `class A { #n = 1; static has(o) { return #n in o } } await tools.sink({ x: A.has(u.b ? new A() : {}) })`,
  ],
  ['the name of a class', `await tools.sink({ x: (u.b ? class P {} : class Q {}).name })`],
  [
    '`this` that was chosen',
    `const a = { x: 0 }, b = { x: 0 }; function put() { this.x = 1 } put.call(u.b ? a : b); await tools.sink({ x: a.x })`,
  ],
  [
    'a receiver that was chosen',
    `class A { x = 0; put() { this.x = 1 } } const a = new A(), b = new A(); (u.b ? a : b).put(); await tools.sink({ x: a.x })`,
  ],
  [
    'a function that was bound',
    `const a = { x: 0 }; const f = function (v) { this.x = v }.bind(a); f(u.n); await tools.sink({ x: a.x })`,
  ],
  [
    'a bound function that was not called',
    `const a = { x: 0 }; const f = function () { this.x = 1 }.bind(a); if (u.b) f(); await tools.sink({ x: a.x })`,
  ],
  ['what was given to `arguments`', `function f() { return arguments[0] } await tools.sink({ x: f(u.n), y: f(1) })`],
  ['how much was given to `arguments`', `function f() { return arguments.length } await tools.sink({ x: f(...u.l) })`],
  ['a value of a tagged template', 'const t = (s, v) => v; await tools.sink({ x: t`a${u.n}b` })'],
  [
    'an error of a class',
    `class E extends Error { constructor(k) { super('m'); this.k = k } } let x = 0; try { throw new E(u.n) } catch (e) { x = e.k } await tools.sink({ x })`,
  ],
  [
    'that an error of a class was thrown',
    `class E extends Error {} let x = 0; try { if (u.b) throw new E('m'); x = 1 } catch (e) { x = e instanceof E ? 2 : 3 } await tools.sink({ x })`,
  ],
  [
    'a prototype that was chosen',
    `const p = { x: 1 }, q = { x: 2 }; const o = Object.create(u.b ? p : q); await tools.sink({ x: o.x })`,
  ],
  [
    'a prototype that was changed',
    `const p = { x: 1 }; const o = Object.create(p); if (u.b) p.x = 2; await tools.sink({ x: o.x })`,
  ],
  [
    'a property that was defined',
    `const o = {}; if (u.b) Object.defineProperty(o, 'x', { value: 1 }); await tools.sink({ x: o.x })`,
  ],
  [
    'whether a property is listed',
    `const o = Object.defineProperty({}, 'x', { value: 1, enumerable: u.b }); await tools.sink({ x: Object.keys(o).length })`,
  ],
  [
    'a constructor that gives another object',
    `const o = { x: 0 }; class A { constructor() { return o } } if (u.b) new A().x = 1; await tools.sink({ x: o.x })`,
  ],
  [
    '`toString` of a class',
    `let x = 0; class A { toString() { x = 1; return '' } } const a = new A(); if (u.b) String(a); await tools.sink({ x })`,
  ],
]
