/** Ways in which untrusted data decides which of two clean things is changed, or what is left undone: too rare to wait for. */
export const TRAPS: readonly (readonly [string, string])[] = [
  [
    'a reference that was chosen',
    `const a = { x: 0 }, b = { x: 0 }; const t = u.b ? a : b; t.x = 1; await tools.sink({ a: a.x, b: b.x })`,
  ],
  [
    'an alias that the branch has stored in an object of its own',
    `const o = { x: 0 }; if (u.b) { const g = {}; g.a = o; g.a.x = 1 } await tools.sink({ x: o.x })`,
  ],
  [
    'an alias that it has stored in an object of its own under another name',
    `const o = { x: 0 }; if (u.b) { const g = {}; const h = g; h.a = o; const k = g.a; k.x = 1 } await tools.sink({ x: o.x })`,
  ],
  [
    'an alias that it has stored in an object that was there before',
    `const o = { x: 0 }, g = {}; if (u.b) { g.a = o; g.a.x = 1 } await tools.sink({ x: o.x })`,
  ],
  [
    'an alias that it has put into a list or a map',
    `const o = { x: 0 }, p = { x: 0 }; if (u.b) { const l = []; l.push(o); l[0].x = 1; const m = new Map(); m.set('k', p); m.get('k').x = 1 } await tools.sink({ x: o.x, y: p.x })`,
  ],
  [
    'an alias that a function has stored for it',
    `const o = { x: 0 }; const put = (t, v) => { t.a = v }; if (u.b) { const g = {}; put(g, o); g.a.x = 1 } await tools.sink({ x: o.x })`,
  ],
  [
    'an alias that Object.assign has stored',
    `const o = { x: 0 }; if (u.b) { const g = {}; Object.assign(g, { a: o }); g.a.x = 1 } await tools.sink({ x: o.x })`,
  ],
  [
    'an alias that a closure and an instance have stored',
    `const o = { x: 0 }, p = { x: 0 }; class Held { #v; constructor(v) { this.#v = v } poke() { this.#v.x = 1 } } if (u.b) { const g = {}; const f = () => { g.a = o }; f(); g.a.x = 1; new Held(p).poke() } await tools.sink({ x: o.x, y: p.x })`,
  ],
  [
    'an alias in an object that is written by a method',
    `const o = { l: [] }; if (u.b) { const g = {}; g.a = o; g.a.l.push(1) } await tools.sink({ n: o.l.length })`,
  ],
  [
    'a function that was chosen',
    `let x = 0, y = 0; const f = () => { x = 1 }, g = () => { y = 1 }; (u.b ? f : g)(); await tools.sink({ x, y })`,
  ],
  [
    'a list that was chosen',
    `const a = [], b = []; [a, b][u.b ? 0 : 1].push(1); await tools.sink({ a: a.length, b: b.length })`,
  ],
  [
    'what a callback would have set',
    `let x = 0; [1].filter(() => u.b).forEach(() => { x = 1 }); await tools.sink({ x })`,
  ],
  [
    'what comes after an early end of a function',
    `const o = { x: 0 }; const f = (p) => { if (u.b) return; p.x = 1 }; f(o); await tools.sink({ x: o.x })`,
  ],
  [
    'a promise that is rejected because of it',
    `let x = 0; const f = async () => { if (u.b) throw 1 }; try { await f() } catch { x = 1 } await tools.sink({ x })`,
  ],
  ['what is waited for under a test', `let x = 0; if (u.b) { await tools.clean({}); x = 1 } await tools.sink({ x })`],
  ['a getter of a key that is not there', `const o = { a: 1 }; await tools.sink({ x: o[u.b ? 'a' : 'b'] ?? 0 })`],
  [
    'a variable that only lives in a loop that did not run',
    `const o={a:1}; for (const i of (u.b ? [] : [1])) { const f = () => ((x) => x + i)(i); const g = () => { o.a = 1 } } const l=[1,2]; for (const x of l) await tools.sink({x:1})`,
  ],
  [
    'what functions that are gone through would have set',
    `let x=0; const g = () => {x=1}; if (u.b) { for (const f of [g]) [1].forEach(f) } await tools.sink({x})`,
  ],
  [
    'what a callback that was chosen would have set',
    `let x=0; const g = () => {x=1}; if (u.b) { [1].map(u.b ? g : undefined) } await tools.sink({x})`,
  ],
  [
    'what a method that is a callback would have set',
    `let x=0; const g = () => {x=1}; const o={g}; if (u.b) { [1].map(o.g) } await tools.sink({x})`,
  ],
  [
    'what a replacement that is a function would have set',
    `let x=0; const o = {g: (r) => {x=1; return 'q'}}; if (u.b) { 'a'.replace('a', o.g) } await tools.sink({x})`,
  ],
  [
    'what the function of a promise would have set',
    `let x=0; const g = (r) => {x=1; r()}; if (u.b) { await new Promise(g) } await tools.sink({x})`,
  ],
  [
    'what a function would have set that is called by `call`',
    `let x=0; const g = () => {x=1}; if (u.b) g.call(null); await tools.sink({x})`,
  ],
  [
    'what a named callback writes into items',
    `const a={x:0}; const h = (p) => { p.x = 1 }; if (u.b) { [a].map(h) } await tools.sink({x:a.x})`,
  ],
  [
    'what a callback writes into items',
    `const a={x:0}; const l=[a]; if (u.b) { l.forEach((y) => {y.x = 1}) } await tools.sink({x:a.x})`,
  ],
  [
    'what a callback of `reduce` gives and writes',
    `const b={x:0}; if (u.b) [1,2].reduce((acc) => { acc.x = 1; return b }, {}); await tools.sink({x:b.x})`,
  ],
  [
    'what a callback gives and another writes',
    `const b={x:0}; if (u.b) [1].map(() => b).forEach((y) => { y.x = 1 }); await tools.sink({x:b.x})`,
  ],
  [
    'what is written through a variable of the branch, from a function',
    `const a={x:{y:0}}; if (u.b) { const t = {a}; (() => {t.a.x.y = 1})() } await tools.sink({x:a.x.y})`,
  ],
  [
    'what is called through a variable of the branch, from a function',
    `let x=0; const g=()=>{x=1}; if (u.b) { const t = g; (() => {[1].map(t)})() } await tools.sink({x})`,
  ],
  [
    'what a function is given from a variable of the branch',
    `let x=0; const g=(p)=>{p.x=1}; const a={x:0}; if (u.b) { const q = a; (() => {g(q)})() } await tools.sink({x:a.x})`,
  ],
  [
    'what a function that is declared in the branch writes',
    `const a={x:0}; if (u.b) { function h(p){ p.x = 1 } h(a) } await tools.sink({x:a.x})`,
  ],
  [
    'what a function that is called where it stands writes',
    `const a={x:0}; if (u.b) { ((p) => {p.x=1})(a) } await tools.sink({x:a.x})`,
  ],
  [
    'what stands in for a parameter',
    `const b={x:0}; const f=(q = b)=>{q.x=1}; if (u.b) { f() } await tools.sink({x:b.x})`,
  ],
  [
    'a variable that a function sets before it is written through',
    `let t={x:0}; const b={x:0}; const k = () => { t = b }; if (u.b) { k(); t.x=1 } await tools.sink({x:b.x})`,
  ],
  [
    'functions that set and call in turns',
    `let t=()=>{}; const b={x:0}; const h = () => { b.x = 1 }; const k = () => { t = h }; const m = () => { t() }; if (u.b) { for (let i=0;i<2;i++) { m(); k() } } await tools.sink({x:b.x})`,
  ],
  [
    'functions that put something into an object and call it in turns',
    `const b={x:0}; const o={t:()=>{}}; const h = () => { b.x = 1 }; const k = () => { o.t = h }; const m = () => { [1].map(o.t) }; if (u.b) { m(); k(); m() } await tools.sink({x:b.x})`,
  ],
  [
    'a promise that would have been settled',
    `let r; const p = new Promise((x) => { r = x }); if (u.b) r(1); r(2); await tools.sink({x: await p})`,
  ],
  [
    'what `reduce` gives to a callback that writes it',
    `const a={x:0}; [a].slice(0, u.b ? 1 : 0).reduce((acc, y) => { y.x = 1; return acc }, 0); await tools.sink({x:a.x})`,
  ],
  [
    'what a map gives to a callback that writes it',
    `const a={x:0}; const m = new Map(); if (u.b) m.set('a', a); m.forEach((y) => { y.x = 1 }); await tools.sink({x:a.x})`,
  ],
  [
    'what `Object.assign` was given to change',
    `const a={x:0}; const s = {}; if (u.b) s.a = a; Object.assign(s.a ?? {}, {x:1}); await tools.sink({x:a.x})`,
  ],
  [
    'how many arguments were spread, for one who writes them',
    `const a={x:0}; const q = [a].slice(0, u.b ? 1 : 0); ((...z) => { for (const y of z) y.x = 1 })(...q); await tools.sink({x:a.x})`,
  ],
  [
    'how many arguments a built-in was given',
    `const q=[1].slice(0, u.b ? 1 : 0); await tools.sink({x:Math.max(...q)})`,
  ],
  [
    'how many items were pushed',
    `const q=[1].slice(0, u.b ? 1 : 0); const l=[]; l.push(...q); await tools.sink({x:l.length})`,
  ],
  [
    'how many arguments a function was given',
    `const q=[1].slice(0, u.b ? 1 : 0); const f = (...p) => p.length; await tools.sink({x:f(...q)})`,
  ],
  [
    'arguments after what was spread',
    `const q=[1].slice(0, u.b ? 1 : 0); const f = (a) => a; await tools.sink({x:f(...q, 3)})`,
  ],
  [
    'what a call was given by spreading',
    `const q=[{x:1}].slice(0, u.b ? 1 : 0); await tools.sink(...q); await tools.sink({y:1})`,
  ],
  [
    'a promise that is rejected later',
    `let x=0; const f = async () => { await tools.clean({}); if (u.b) throw 1 }; await f().catch((p) => {x = 1}); await tools.sink({x})`,
  ],
  [
    'what a promise is rejected with, for one who writes it',
    `const a={x:0}; const f = async () => { await tools.clean({}); if (u.b) throw a }; await f().catch((p) => {p.x = 1}); await tools.sink({x:a.x})`,
  ],
  [
    'what `reduce` is handed on',
    `const b={x:0}; [1,2].slice(0, u.b ? 2 : 1).reduce((acc) => { acc.x = 1; return b }, {}); await tools.sink({x:b.x})`,
  ],
  [
    'which callback `reduce` was given',
    `const s = { n: 0 }; [s].reduce(u.b ? (a, t) => { t.n++ } : () => {}, 0); await tools.sink({x: s.n})`,
  ],
  [
    'which callback a promise was given',
    `const s = { n: 0 }; await Promise.resolve(s).then(u.b ? (t) => { t.n++ } : () => {}); await tools.sink({x: s.n})`,
  ],
  [
    'which function stands first in a list',
    `let n = 0; const l = [() => { n++ }, () => {}]; if (u.b) l.reverse(); l[0](); await tools.sink({x: n})`,
  ],
  [
    'whether a promise was given a callback',
    `let n = 0; const g = () => { n++ }; await Promise.resolve(1).then(u.b ? g : undefined); await tools.sink({x: n})`,
  ],
]
