/** Ways in which untrusted data decides what promises do, and whether there is anything to show. */
export const LATE_TRAPS: readonly (readonly [string, string])[] = [
  [
    'a number in the place of a callback of a promise',
    `let x=0; const g=(v)=>{x=1; return v}; await Promise.resolve(1).then(u.b ? g : 5); await tools.sink({x})`,
  ],
  [
    'a built-in in the place of a callback of a promise',
    `let x=0; const g=(v)=>{x=1; return v}; await Promise.resolve(1).then(u.b ? g : String); await tools.sink({x})`,
  ],
  [
    'a built-in in the place of a callback of a rejection',
    `let x=0; const g=(v)=>{x=1; return v}; await Promise.reject(1).then(undefined, u.b ? g : String); await tools.sink({x})`,
  ],
  [
    'a number in the place of what catches',
    `let x=0; const g=(v)=>{x=1; return v}; try { await Promise.reject(1).catch(u.b ? g : 0) } catch {} await tools.sink({x})`,
  ],
  [
    'a number in the place of what comes at last',
    `let x=0; const g=(v)=>{x=1; return v}; try { await Promise.resolve(1).finally(u.b ? g : 0) } catch {} await tools.sink({x})`,
  ],
  [
    'a promise or what is in it',
    `const a={y:0}; const p = Promise.resolve(a); const r = await (u.b ? p : {y:0}); r.y = 1; await tools.sink({x:a.y})`,
  ],
  [
    'a promise or what is in it, resolved',
    `const a={y:0}; const p = Promise.resolve(a); const r = await Promise.resolve(u.b ? p : {y:0}); r.y = 1; await tools.sink({x:a.y})`,
  ],
  [
    'which of two promises is gone on from',
    `let x=0; const g=()=>{x=1}; const p = u.b ? Promise.resolve(1) : Promise.reject(1); await p.then(g).catch(() => {}); await tools.sink({x})`,
  ],
  [
    'a rejection that passes what comes at last',
    `let x=0; const f = async () => { if (u.b) throw 1 }; await f().finally(() => {}).catch(() => {x=1}); await tools.sink({x})`,
  ],
  [
    'what fails at last',
    `let x=0; await Promise.resolve(1).finally(() => { if (u.b) throw 1 }).catch(() => {x=1}); await tools.sink({x})`,
  ],
  [
    'what follows what comes at last',
    `let x=0; await Promise.resolve(u.b ? 1 : 2).finally(() => {x++}).then((v) => { if (v === 1) x++ }); await tools.sink({x})`,
  ],
  [
    'a callback of a promise that throws',
    `let x=0; await Promise.resolve(1).then(() => { if (u.b) throw 1 }).then(() => {x=1}, () => {}); await tools.sink({x})`,
  ],
  [
    'what is given in the place of a rejection',
    `let x=0; const r = await Promise.reject(1).catch(() => u.b ? 1 : 2); await tools.sink({x: r})`,
  ],
  [
    'a promise that a callback gives',
    `let x=0; const f = async () => { if (u.b) throw 1 }; await Promise.resolve(1).then(() => f()).catch(() => {x=1}); await tools.sink({x})`,
  ],
  [
    'one of several promises that is rejected',
    `let x=0; const f = async () => { if (u.b) throw 1 }; await Promise.all([1, f()]).catch(() => {x=1}); await tools.sink({x})`,
  ],
  [
    'one of several promises that is not rejected',
    `let x=0; const f = async () => { if (u.b) throw 1 }; await Promise.all([1, f()]).then(() => {x=1}, () => {}); await tools.sink({x})`,
  ],
  [
    'one of several promises that is rejected in a `try`',
    `let x=0; const f = async () => { if (u.b) throw 1 }; try { await Promise.all([1, f()]); x=1 } catch {} await tools.sink({x})`,
  ],
  [
    'an item beside a promise that is rejected in a `try`',
    `let x=0; const f = async () => { if (u.b) throw 1 }; try { const [a] = await Promise.all([1, f()]); x=a } catch {} await tools.sink({x})`,
  ],
  [
    'which of two things a rejection leaves',
    `const f = async () => { if (u.b) throw 1 }; let r; try { r = (await Promise.all([1, f()]))[0] } catch { r = 2 } await tools.sink({r})`,
  ],
  [
    'how each of several promises ended',
    `const f = async () => { if (u.b) throw 1; return 2 }; const r = await Promise.allSettled([f(), 1]); await tools.sink({x:r[0].status, y: r[1].value})`,
  ],
  [
    'what is known of how one ended',
    `const f = async () => { if (u.b) throw 1; return 2 }; const r = await Promise.allSettled([f()]); await tools.sink({x:Object.keys(r[0])})`,
  ],
  [
    'the first of several that is not rejected',
    `const f = async () => { if (u.b) throw 1; return 2 }; const r = await Promise.any([f(), 1]); await tools.sink({x:r})`,
  ],
  [
    'whether any was not rejected',
    `const f = async () => { if (u.b) throw 1; return 2 }; let x = 0; try { x = await Promise.any([f()]) } catch (e) { } await tools.sink({x})`,
  ],
  [
    'a callback that settles a promise or not',
    `let r; const p = new Promise((x) => { r = x }); [1].forEach(u.b ? r : () => {}); r(2); await tools.sink({x: await p})`,
  ],
  [
    'whether what settles a promise was given',
    `let r; const p = new Promise((x) => { r = x }); await Promise.resolve(1).then(u.b ? r : undefined); r(2); await tools.sink({x: await p})`,
  ],
  [
    'what a callback waits for',
    `let x=0; const p = Promise.resolve(1).then(async () => { if (u.b) { await tools.clean({}); x = 1 } }); await p; await tools.sink({x})`,
  ],
  [
    'the end of a function that waits in a loop',
    `let x=0; const f = async () => { for (const i of [1,2]) { if (u.b) return; await tools.clean({}); x++ } }; await f(); await tools.sink({x})`,
  ],
  [
    'the end of a loop that waits',
    `let x=0; const f = async () => { for (let i=0;i<3;i++) { await tools.clean({}); if (u.b) break; x++ } }; await f(); await tools.sink({x})`,
  ],
  [
    'the end of an outer loop that waits',
    `let x=0; const f = async () => { out: for (let i=0;i<3;i++) { for (const j of [1,2]) { await tools.clean({}); if (u.b) continue out; x++ } } }; await f(); await tools.sink({x})`,
  ],
  [
    'a turn in which a function that waits ends',
    `let x=0; const f = async () => { while (true) { if (u.b) return 1; x++; if (x > 2) return 1; await tools.clean({}) } }; const r = await f(); await tools.sink({x, r})`,
  ],
  ['nothing in the place of a value', `await tools.sink({x: u.b ? null : 1})`],
  ['a member that is not shown', `await tools.sink({x: u.b ? undefined : 1})`],
  ['a member that is not there', `const o = {}; if (u.b) o.x = undefined; await tools.sink(o)`],
  ['a call that is given nothing', `await tools.sink(u.b ? {x:1} : undefined)`],
  ['a result that is nothing', `return u.b ? undefined : 1`],
  ['an item that is not shown', `await tools.sink({x: [1, u.b ? undefined : 2, 3]})`],
  ['an item that was taken out', `const l=[1,2]; if (u.b) delete l[0]; await tools.sink({l})`],
  ['how long a list was made', `const l=[1]; l.length = u.b ? 3 : 1; await tools.sink({l})`],
  ['an item behind the end of a list', `const l=[1]; l[u.b ? 3 : 1] = 1; await tools.sink({l})`],
  ['what is left of an object', `const { a, ...rest } = u.b ? {a:1, b:2} : {b:2}; await tools.sink({rest})`],
  ['a member that is taken out by a name', `const o={a:1,b:2}; const { [u.s]: v } = o; await tools.sink({v})`],
  [
    'what comes after a throw in a function that waits',
    `let x=0; const f = async () => { if (u.b) throw 1; x = 1 }; await f().catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after what could throw in a function that waits',
    `let x=0; const f = async () => { (u.b ? null : {}).y; x = 1 }; await f().catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a throw, behind a wait',
    `let x=0; const f = async () => { await tools.clean({}); if (u.b) throw 1; await tools.clean({}); x = 1 }; await f().catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a throw that nobody catches',
    `let x=0; const f = async () => { if (u.b) throw 1; x = 1 }; f(); await tools.clean({}); await tools.sink({x})`,
  ],
  [
    'what comes after a call that throws',
    `let x=0; const g = () => { if (u.b) throw 1 }; const f = async () => { g(); x = 1 }; await f().catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a wait that is rejected',
    `let x=0; const g = async () => { if (u.b) throw 1 }; const f = async () => { await g(); x = 1 }; await f().catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a throw in a callback of a promise',
    `let x=0; await Promise.resolve(1).then(() => { if (u.b) throw 1; x = 1 }).catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a throw while a promise is made',
    `let x=0; await new Promise((r) => { if (u.b) throw 1; x = 1; r() }).catch(() => {}); await tools.sink({x})`,
  ],
  [
    'the same where nobody waits for it',
    `let x=0; const p = new Promise((r) => { if (u.b) throw 1; x = 1; r() }); p.catch(() => {}); await tools.clean({}); await tools.sink({x})`,
  ],
  [
    'what comes after a throw at last',
    `let x=0; await Promise.resolve(1).finally(() => { if (u.b) throw 1; x = 1 }).catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a throw in what catches',
    `let x=0; await Promise.reject(1).catch(() => { if (u.b) throw 1; x = 1 }).catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what comes after a default that throws',
    `let x=0; const g = () => { if (u.b) throw 1 }; const f = async (a = g()) => { x = 1 }; await f().catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what is written after a throw into what was given',
    `const a={x:0}; const f = async (p) => { if (u.b) throw 1; p.x = 1 }; await f(a).catch(() => {}); await tools.sink({x:a.x})`,
  ],
  [
    'what comes after a throw at last, behind a labelled promise',
    `let x=0; await (async () => { await tools.clean(u.n) })().finally(() => { 'y'.repeat(u.n - 1); x = 1 }).catch(() => {}); await tools.sink({x})`,
  ],
  [
    'what is written where nothing was thrown, through a variable that was chosen',
    `const c = await tools.clean({}); let o={}; const f = async () => { o = { [u.b ? u.q.a : 'a']: 2 }; o.b = 1 }; await f().catch(() => {}); if (c.b) await tools.sink({x:1})`,
  ],
  [
    'a loop over something new that is left by a throw',
    `const c = await tools.clean({}); let v = u.b ? 1 : 2; const f = () => { for (const x of [v].fill((() => 1)())) { if (u.b) throw 4 } }; try { f() } catch {} if (c.b) await tools.sink({x:1})`,
  ],
]
