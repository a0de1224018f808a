/** The same for generators and iterators: how far they are is told by what they give next. */
export const GENERATOR_TRAPS: readonly (readonly [string, string])[] = [
  [
    'how far a generator is',
    `const g = (function* () { yield 1; yield 2 })(); if (u.b) g.next(); await tools.sink({ x: g.next().value })`,
  ],
  [
    'how far a generator is that a loop has left',
    `const g = (function* () { yield 1; yield 2; yield 3 })(); if (u.b) { const [a] = g } await tools.sink({ x: [...g] })`,
  ],
  [
    'which generator was moved',
    `const f = function* () { yield 1; yield 2 }; const a = f(), b = f(); (u.b ? a : b).next(); await tools.sink({ x: a.next().value })`,
  ],
  [
    'which iterator a loop went through',
    `const a = [1, 2].values(), b = [1, 2].values(); for (const q of u.b ? a : b) break; await tools.sink({ x: a.next().value })`,
  ],
  ['an iterator or a list', `const a = [1, 2].values(); [...(u.b ? a : [1])]; await tools.sink({ x: [...a].length })`],
  [
    'how far an iterator of a list is',
    `const it = [1, 2].values(); if (u.b) it.next(); await tools.sink({ x: it.next().value })`,
  ],
  [
    'an iterator that a call would have gone through',
    `const it = [1, 2].values(); const f = (p) => { for (const q of p) {} }; if (u.b) f(it); await tools.sink({ x: it.next().done })`,
  ],
  [
    'an iterator that a built-in would have gone through',
    `const it = [1, 2].values(); if (u.b) Array.from(it); await tools.sink({ x: it.next().done })`,
  ],
  [
    'an iterator that is gone through in a function of the region',
    `const it = [1, 2].values(); if (u.b) { const f = () => [...it]; f() } await tools.sink({ x: it.next().done })`,
  ],
  [
    'where a generator stands when it yields',
    `const log = []; const g = (function* () { if (u.b) yield 1; log.push(1); yield 2 })(); g.next(); await tools.sink({ x: log.length })`,
  ],
  [
    'what a generator sets before it yields',
    `let x = 0; const g = (function* () { if (u.b) yield 1; x = 1; yield 2 })(); g.next(); await tools.sink({ x })`,
  ],
  [
    'what the next step would have set',
    `let x = 0; const g = (function* () { yield 1; x = 1 })(); g.next(); if (u.b) g.next(); await tools.sink({ x })`,
  ],
  [
    'what a generator shares and changes later',
    `const g = (function* () { const a = []; yield a; a.push(1); yield a })(); const a = g.next().value; if (u.b) g.next(); await tools.sink({ x: a.length })`,
  ],
  [
    'the end of a loop over a generator',
    `let x = 0; const g = function* () { for (let i = 0; i < 3; i++) { if (u.n === i) return; yield i } }; for (const q of g()) x++; await tools.sink({ x })`,
  ],
  [
    'what `finally` does when a loop is left',
    `let x = 0; const g = function* () { try { yield 1; yield 2 } finally { x = 1 } }; for (const q of g()) { if (u.b) break } x = x; const it = g(); it.next(); if (u.b) it.return(); await tools.sink({ x })`,
  ],
  [
    'an exception that is sent into a generator',
    `let x = 0; const g = (function* () { try { yield 1; x = 1 } catch { x = 2 } })(); g.next(); if (u.b) g.throw(1); await tools.sink({ x })`,
  ],
  [
    'what is sent into a generator',
    `let x = 0; const g = (function* () { const q = yield 1; x = q })(); g.next(); g.next(u.n); await tools.sink({ x })`,
  ],
  [
    'that a generator throws',
    `let x = 0; const g = (function* () { yield 1; if (u.b) throw 1; yield 2 })(); try { for (const q of g) x = q } catch {} await tools.sink({ x })`,
  ],
  [
    'what an iterator of the program does',
    `let x = 0; const o = { [Symbol.iterator]() { return { next: () => { x++; return { done: x > 2, value: x } } } } }; if (u.b) [...o]; await tools.sink({ x })`,
  ],
  [
    'whether an iterator of the program has ended',
    `let x = 0; const o = { [Symbol.iterator]() { let i = 0; return { next: () => ({ done: i++ >= u.n, value: 1 }) } } }; for (const q of o) x++; await tools.sink({ x })`,
  ],
  [
    'what an iterator of the program gives',
    `const o = { *[Symbol.iterator]() { yield u.n } }; const [x] = o; await tools.sink({ x })`,
  ],
  [
    'what a helper leaves out',
    `let x = 0; for (const q of [1, 2].values().filter((q) => q > u.n)) x++; await tools.sink({ x })`,
  ],
  [
    'what a helper would have set',
    `let x = 0; const it = [1].values().map(() => { x = 1 }); if (u.b) it.next(); await tools.sink({ x })`,
  ],
  [
    'how far the source of a helper is',
    `const it = [1, 2].values(); const h = it.map((q) => q); if (u.b) h.next(); await tools.sink({ x: it.next().value })`,
  ],
  [
    'how far the source of a generator is',
    `const it = [1, 2].values(); const g = (function* () { yield* it })(); if (u.b) g.next(); await tools.sink({ x: it.next().value })`,
  ],
  [
    'how far an iterator of a text is',
    `const it = 'ab'[Symbol.iterator](); const g = (function* () { for (const q of it) yield q })(); if (u.b) g.next(); await tools.sink({ x: it.next().value })`,
  ],
  [
    'what a generator passes on',
    `const g = function* () { yield* (function* () { yield u.n })() }; const [x] = g(); await tools.sink({ x })`,
  ],
  [
    'how much a generator passes on',
    `let x = 0; const h = function* () { if (u.b) yield 1; yield 2 }; const g = (function* () { yield* h(); x = 1 })(); g.next(); g.next(); await tools.sink({ x })`,
  ],
  [
    'what an asynchronous generator gives',
    `const g = async function* () { yield u.n }; let x = 0; for await (const q of g()) x = q; await tools.sink({ x })`,
  ],
  [
    'how far an asynchronous generator is',
    `const g = (async function* () { yield 1; yield 2 })(); if (u.b) await g.next(); await tools.sink({ x: (await g.next()).value })`,
  ],
  [
    'what an asynchronous generator would have set',
    `let x = 0; const g = (async function* () { x = 1; yield 1 })(); if (u.b) g.next(); await tools.sink({ x })`,
  ],
  [
    'the end of an asynchronous loop',
    `let x = 0; const g = async function* () { for (let i = 0; i < 3; i++) { if (u.n === i) return; yield i } }; for await (const q of g()) x++; await tools.sink({ x })`,
  ],
  [
    'a generator that is left because of it',
    `let x = 0; const g = async function* () { try { yield 1; yield 2 } finally { x = 1 } }; const it = g(); await it.next(); if (u.b) await it.return(); await tools.sink({ x })`,
  ],
  [
    'a symbol that was chosen',
    `const a = Symbol('a'), b = Symbol('b'); const o = { [a]: 1, [b]: 2 }; await tools.sink({ x: o[u.b ? a : b] })`,
  ],
  ['a key that is a symbol', `const a = Symbol('a'), o = {}; if (u.b) o[a] = 1; await tools.sink({ x: o[a] ?? 0 })`],
]
