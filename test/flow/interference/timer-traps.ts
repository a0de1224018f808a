/** Ways in which untrusted data decides what timers do. `wait` lets all of them run. */
const wait = 'await new Promise((r) => setTimeout(r, 9));'

export const TIMER_TRAPS: readonly (readonly [string, string])[] = [
  ['a timer that is set under a test', `let x=0; if (u.b) setTimeout(() => {x=1}, 1); ${wait} await tools.sink({x})`],
  [
    'a timer with a named callback that is set under a test',
    `let x=0; const g = () => {x=1}; if (u.b) setTimeout(g, 1); ${wait} await tools.sink({x})`,
  ],
  [
    'a timer that is cleared under a test',
    `let x=0; const t = setTimeout(() => {x=1}, 1); if (u.b) clearTimeout(t); ${wait} await tools.sink({x})`,
  ],
  [
    'an interval that is cleared under a test',
    `let x=0; const t = setInterval(() => { x++; clearInterval(t) }, 1); if (u.b) clearInterval(t); ${wait} await tools.sink({x})`,
  ],
  [
    'which of two timers is cleared',
    `let x=0, y=0; const a = setTimeout(() => {x=1}, 1), b = setTimeout(() => {y=1}, 1); clearTimeout(u.b ? a : b); ${wait} await tools.sink({x, y})`,
  ],
  [
    'which of two callbacks a timer has',
    `let x=0, y=0; setTimeout(u.b ? () => {x=1} : () => {y=1}, 1); ${wait} await tools.sink({x, y})`,
  ],
  ['what a timer hands its callback', `let x=0; setTimeout((v) => {x=v}, 1, u.n); ${wait} await tools.sink({x})`],
  [
    'what a timer hands the resolver of a promise',
    `const v = await new Promise((r) => setTimeout(r, 1, u.n)); await tools.sink({v})`,
  ],
  [
    'what a timer writes into its argument under a test',
    `const o={x:0}; const g = (p) => {p.x=1}; if (u.b) setTimeout(g, 1, o); ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'a microtask that is queued under a test',
    `let x=0; const g = () => {x=1}; if (u.b) queueMicrotask(g); await null; await tools.sink({x})`,
  ],
  [
    'a promise that a cleared timer leaves open',
    `let x=0; const t = setTimeout(() => {x=1}, 1); if (u.b) clearTimeout(t); await new Promise((r) => setTimeout(r, 9)); await tools.sink({x})`,
  ],
  [
    'a timer set under a test, and what is set after it',
    `let x=0; if (u.b) setTimeout(() => {x=1}, 1); x=0; ${wait} await tools.sink({x})`,
  ],
  [
    'a timer that is set under a test, and a part that is set after it',
    `const o={x:0}; if (u.b) setTimeout(() => {o.x=1}, 1); o.x=0; ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'a timer that is set under a test, and the object that is replaced after it',
    `let o={x:0}; if (u.b) setTimeout(() => {o.x=1}, 1); o={x:0}; ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'a timer that is set under a test, and the function that is replaced after it',
    `let x=0, g=() => {}; if (u.b) setTimeout(() => g(), 1); g=() => {x=1}; ${wait} await tools.sink({x})`,
  ],
  [
    'a timer that is set by a function under a test, and a part that is set after it',
    `const o={x:0}; const g = () => { setTimeout(() => {o.x=1}, 1) }; if (u.b) g(); o.x=0; ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'a timer that is set through call, and a part that is set after it',
    `const o={x:0}; const g = () => {o.x=1}; if (u.b) setTimeout.call(null, g, 1); o.x=0; ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'a microtask that is queued under a test, and an item that is set after it',
    `const l=[0]; if (u.b) queueMicrotask(() => {l[0]=1}); l[0]=0; await null; await tools.sink({x: l[0]})`,
  ],
  [
    'a callback of a promise under a test, and a part that is set after it',
    `const o={x:0}; if (u.b) Promise.resolve().then(() => {o.x=1}); o.x=0; await null; await null; await tools.sink({x: o.x})`,
  ],
  [
    'an async function under a test, and a part that is set after it',
    `const o={x:0}; const g = async () => { await null; o.x=1 }; if (u.b) g(); o.x=0; await null; await null; await tools.sink({x: o.x})`,
  ],
  [
    'how often an interval waits',
    `const t = setInterval(() => {}, 1); if (u.b) clearInterval(t); ${wait} await tools.sink({})`,
  ],
  [
    'how often an interval waits that clears itself',
    `let k=0; const t = setInterval(() => { k++; if (k > u.n) clearInterval(t) }, 1); ${wait} await tools.sink({})`,
  ],
  [
    'how often an interval waits that is set under a test',
    `if (u.b) setInterval(() => {}, 1); ${wait} await tools.sink({})`,
  ],
  [
    'whether it is an interval or a timer that waits',
    `const t = (u.b ? setTimeout : setInterval)(() => {}, 1); ${wait} await tools.sink({})`,
  ],
  [
    'which of two intervals goes on',
    `const s = setInterval(() => {}, 1), t = setInterval(() => {}, 2); clearInterval(u.b ? s : t); ${wait} await tools.sink({})`,
  ],
  [
    'an interval that is cleared under a test, and what is set between',
    `const o={x:0}; const t = setInterval(() => {o.x++}, 2); if (u.b) clearInterval(t); await new Promise((r) => setTimeout(r, 5)); o.x=0; ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'which of two timers calls a tool',
    `const s = setTimeout(() => tools.sink({x: 1}), 1), t = setTimeout(() => tools.sink({x: 2}), 2); clearTimeout(u.b ? s : t); ${wait} await tools.sink({})`,
  ],
  [
    'a promise that stays open under a test, and its callback',
    `let x=0, r; new Promise((k) => { r = k }).then(() => {x=1}); if (u.b) r(); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise that stays open under a test, and who awaits it',
    `let x=0, r; const p = new Promise((k) => { r = k }); (async () => { await p; x=1 })(); if (u.b) r(); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise whose executor leaves it open',
    `let x=0; (async () => { await new Promise((k) => { if (u.b) k() }); x=1 })(); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise whose executor leaves it open, in a function that another awaits',
    `let x=0; const g = async () => { await new Promise((k) => { if (u.b) k() }) }; (async () => { await g(); x=1 })(); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise whose executor leaves it open, and a part that is set after it',
    `const o={x:0}; new Promise((k) => { if (u.b) k() }).then(() => {o.x=1}); o.x=0; ${wait} await tools.sink({x: o.x})`,
  ],
  [
    'a promise that stays open among others',
    `let x=0; Promise.all([new Promise((k) => { if (u.b) k() }), 1]).then(() => {x=1}); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise that stays open and is followed',
    `let x=0; const p = new Promise((k) => { if (u.b) k() }); new Promise((k) => k(p)).finally(() => {x=1}); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise that a cleared timer leaves open, and its callback',
    `let x=0; new Promise((k) => { const t = setTimeout(k, 1); if (u.b) clearTimeout(t) }).then(() => {x=1}); ${wait} await tools.sink({x})`,
  ],
  [
    'a promise that is resolved by the callback of another that stays open',
    `let x=0, r; const p = new Promise((k) => { r = k }); p.then(() => {x=1}); new Promise((k) => { if (u.b) k() }).then(r); ${wait} await tools.sink({x})`,
  ],
]
