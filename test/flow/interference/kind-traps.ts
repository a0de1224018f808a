/** Ways in which untrusted data decides of what kind something is, and by that what a built-in does with it. */
export const KIND_TRAPS: readonly (readonly [string, string])[] = [
  [
    'a text in the place of a function that replaces',
    `let x=0; const g=()=>{x=1; return 'q'}; 'a'.replace('a', u.b ? g : 't'); await tools.sink({x})`,
  ],
  [
    'the same through a variable',
    `let x=0; const g=()=>{x=1; return 'q'}; const r = u.b ? g : 't'; 'a'.replaceAll('a', r); await tools.sink({x})`,
  ],
  [
    'a member that is a text or a function that replaces',
    `let x=0; const o={g:()=>{x=1; return 'q'}, t:'t'}; 'a'.replaceAll('a', o[u.b?'g':'t']); await tools.sink({x})`,
  ],
  [
    'an item that is a text or a function that replaces',
    `let x=0; const g=()=>{x=1; return ''}; const l = [g, 't']; 'a'.replace('a', l[u.n]); await tools.sink({x})`,
  ],
  [
    'an entry that is a text or a function that replaces',
    `let x=0; const g=()=>{x=1; return ''}; const m = new Map([['a', g],['b','t']]); 'a'.replace('a', m.get(u.s)); await tools.sink({x})`,
  ],
  [
    'what was spread into the place of a function that replaces',
    `let x=0; const g=()=>{x=1; return ''}; 'a'.replace('a', ...(u.b ? [g] : ['t'])); await tools.sink({x})`,
  ],
  [
    'whether `sort` was given an order',
    `let x=0; const g=()=>{x=1; return 0}; [2,1].sort(u.b ? g : undefined); await tools.sink({x})`,
  ],
  [
    'whether `toSorted` was given an order',
    `let x=0; const g=()=>{x=1; return 0}; [2,1].toSorted(u.b ? g : undefined); await tools.sink({x})`,
  ],
  [
    'whether JSON was written with a function',
    `let x=0; const g=(k,v)=>{x=1; return v}; JSON.stringify({a:1}, u.b ? g : null); await tools.sink({x})`,
  ],
  [
    'a list of keys in the place of a function that writes JSON',
    `let x=0; const g=(k,v)=>{x=1; return v}; JSON.stringify({a:1}, u.b ? g : ['a']); await tools.sink({x})`,
  ],
  [
    'a text in the place of a function that reads JSON',
    `let x=0; const g=(k,v)=>{x=1; return v}; JSON.parse('{"a":1}', u.b ? g : 'x'); await tools.sink({x})`,
  ],
  [
    'whether `Array.from` was given a function',
    `let x=0; const g=(v)=>{x=1; return v}; Array.from([1], u.b ? g : undefined); await tools.sink({x})`,
  ],
  [
    'what `Array.from` was given to go through',
    `let x=0; const g=(v)=>{x=1; return v}; Array.from(u.b ? [1] : {length:0}, g); await tools.sink({x})`,
  ],
  [
    'a text that `Array.from` goes through',
    `let x=0; const g=(v)=>{x=1; return v}; Array.from(u.b ? 'a' : '', g); await tools.sink({x})`,
  ],
  [
    'a built-in in the place of a callback',
    `let x=0; const g=(v)=>{x=1; return v}; [1].map(u.b ? g : String); await tools.sink({x})`,
  ],
  [
    'a built-in in the place of a callback that gives lists',
    `let x=0; const g=(v)=>{x=1; return v}; [1].flatMap(u.b ? g : String); await tools.sink({x})`,
  ],
  [
    'a text in the place of a callback, where that is caught',
    `let x=0; const g=(v)=>{x=1; return v}; try { [1].map(u.b ? g : 't') } catch {} await tools.sink({x})`,
  ],
  [
    'a text in the place of a callback of `reduce`, where that is caught',
    `let x=0; const g=(v)=>{x=1; return v}; try { [1].reduce(u.b ? g : 't', 0) } catch {} await tools.sink({x})`,
  ],
  [
    'a built-in in the place of a callback of a map',
    `let x=0; const g=()=>{x=1}; new Map([[1,1]]).forEach(u.b ? g : String); await tools.sink({x})`,
  ],
  [
    'a number in the place of a callback of a set',
    `let x=0; const g=()=>{x=1}; try { new Set([1]).forEach(u.b ? g : 1) } catch {} await tools.sink({x})`,
  ],
  [
    'a callback that may not have been spread',
    `let x=0; const g=()=>{x=1}; try { [1].map(...(u.b ? [g] : [])) } catch {} await tools.sink({x})`,
  ],
  [
    'a number in the place of a function that names groups',
    `let x=0; const g=()=>{x=1; return 'a'}; try { Object.groupBy([1], u.b ? g : 5) } catch {} await tools.sink({x})`,
  ],
  [
    'a built-in in the place of a function that names groups',
    `let x=0; const g=()=>{x=1; return 'a'}; Map.groupBy([1], u.b ? g : String); await tools.sink({x})`,
  ],
  [
    'which function a promise was made with',
    `let x=0; const g=(r)=>{x=1; r()}; await new Promise(u.b ? g : (r) => r()); await tools.sink({x})`,
  ],
  [
    'whether a promise was made with a function',
    `let x=0; const g=(r)=>{x=1; r()}; try { await new Promise(u.b ? g : 5) } catch {} await tools.sink({x})`,
  ],
  ['how deep a list is made flat', `await tools.sink({x:[[[1]]].flat(u.n)})`],
  [
    'an item that is there because a list was made flat',
    `const a={y:0}; const l=[[a]].flat(u.n); if (l[0] === a) {} (l[0]).y = 1; await tools.sink({x:a.y})`,
  ],
  ['a text or a list that is spread', `await tools.sink({x:[...(u.b ? 'ab' : [1])]})`],
  [
    'a text or a list that is spread into arguments',
    `const f = (...p) => p.length; await tools.sink({x:f(...(u.b ? 'ab' : [1]))})`,
  ],
  [
    'a list or an item that is appended',
    `const a={x:0}; const l = [].concat(u.b ? [a] : {}); l[0].x = 1; await tools.sink({x:a.x, n:l.length})`,
  ],
  ['how many were appended', `const l = [].concat(u.b ? [1,2] : 1); await tools.sink({n:l.length})`],
  [
    'what a list is filled with',
    `const a={x:0}; const l = [1].fill(u.b ? a : {}); l[0].x = 1; await tools.sink({x:a.x})`,
  ],
  [
    'what an item is replaced by',
    `const a={x:0}; const l = [1].with(0, u.b ? a : {}); l[0].x = 1; await tools.sink({x:a.x})`,
  ],
  ['whether a set was given anything', `await tools.sink({x: new Set(u.b ? [1] : undefined).size})`],
  [
    'entries that a map was given',
    `const a={x:0}; const m = new Map(u.b ? [['k', a]] : []); const t = m.get('k') ?? {}; t.x = 1; await tools.sink({x:a.x})`,
  ],
  [
    'a text in the place of a pattern that keeps its place',
    `const r=/a/g; r.lastIndex=1; 'aa'.replace(u.b ? r : 'a', 'x'); await tools.sink({x:r.lastIndex})`,
  ],
  [
    'a text in the place of a pattern that finds',
    `const r=/a/g; r.lastIndex=1; 'aa'.match(u.b ? r : 'a'); await tools.sink({x:r.lastIndex})`,
  ],
  [
    'a member that is a text or a pattern',
    `const o={r:/a/g, t:'a'}; o.r.lastIndex=1; 'aa'.replace(o[u.b ? 'r' : 't'],''); await tools.sink({x:o.r.lastIndex})`,
  ],
  [
    'a text in the place of a pattern that was made',
    `const r=new RegExp('a','g'); r.lastIndex=1; 'aa'.search(u.b ? r : 'a'); 'aa'.match(u.b ? r : 'a'); await tools.sink({x:r.lastIndex})`,
  ],
  ['which pattern was asked', `const r=/a/g; (u.b ? r : /b/g).exec('aa'); await tools.sink({x:r.lastIndex})`],
  [
    'a pattern that a branch would have used',
    `const r=/a/g; r.lastIndex=1; if (u.b) 'aa'.replace(r,''); await tools.sink({x:r.lastIndex})`,
  ],
  [
    'a method that would have used a pattern',
    `const r=/a/g; r.lastIndex=1; 'aa'[u.b ? 'replace' : 'concat'](r,''); await tools.sink({x:r.lastIndex})`,
  ],
  [
    'a number in the place of what `Object.assign` changes',
    `const o={x:0}; Object.assign(u.b ? o : 5, {x:1}); await tools.sink({x:o.x})`,
  ],
  [
    'a number in the place of what is frozen',
    `const o={x:0}; Object.freeze(u.b ? o : 5); try {o.x=1} catch {} await tools.sink({x:o.x})`,
  ],
  [
    'a method of a list that changes it or not',
    `const l=[1]; l[u.b ? 'push':'concat'](2); await tools.sink({x:l.length})`,
  ],
  ['the same the other way', `const l=[1]; l[u.b ? 'concat':'push'](2); await tools.sink({x:l.length})`],
  ['a method that calls back or not', `let x=0; [1][u.b ? 'map':'concat'](() => {x=1}); await tools.sink({x})`],
  ['the same with a name', `let x=0; const g=()=>{x=1}; [1][u.b ? 'includes':'map'](g); await tools.sink({x})`],
  [
    'a method that calls a function or keeps it',
    `let x=0; const g=()=>{x=1}; [][u.b ? 'map' : 'push'](g); [1][u.b ? 'map' : 'push'](g); await tools.sink({x})`,
  ],
  [
    'a function that changes what it is given or not',
    `const o={x:0}; (u.b ? Object.assign : Object.is)(o, {x:1}); await tools.sink({x:o.x})`,
  ],
  ['the same by its name', `const o={x:0}; Object[u.b ? 'assign' : 'is'](o, {x:1}); await tools.sink({x:o.x})`],
  [
    'a built-in that changes what it is given, or a function that does not',
    `const o={x:0}; (u.b ? Object.assign : (a) => a)(o, {x:1}); await tools.sink({x:o.x})`,
  ],
  [
    'the same in a function that can wait',
    `const o={x:0}; const f = async () => { (u.b ? Object.assign : (a) => a)(o, {x:1}) }; await f(); await tools.sink({x:o.x})`,
  ],
  [
    'a list, or an object with a method of that name',
    `const l=[]; (u.b ? l : {push(){}}).push(1); await tools.sink({n:l.length})`,
  ],
  [
    'a map, or an object with a method of that name',
    `const m=new Map(); (u.b ? m : {set(){}}).set('a', 1); await tools.sink({n:m.size})`,
  ],
  [
    'a list or a map that is gone through',
    `let x=0; const g=()=>{x=1}; (u.b ? [1] : new Map()).forEach(g); await tools.sink({x})`,
  ],
  [
    'an object that is gone through in its own way',
    `let x=0; const g=()=>{x=1}; (u.b ? [1] : {forEach(){}}).forEach(g); await tools.sink({x})`,
  ],
  [
    'the same the other way',
    `let x=0; const g=()=>{x=1}; const o = {forEach(){}}; (u.b ? o : [1]).forEach(g); await tools.sink({x})`,
  ],
  [
    'a built-in under another name that a branch would have called',
    `const o={x:0}; const assign = Object.assign; if (u.b) assign(o, {x:1}); await tools.sink({x:o.x})`,
  ],
  [
    'a built-in under another name that would have called back',
    `let x=0; const g=(v)=>{x=1}; const from = Array.from; if (u.b) from([1], g); await tools.sink({x})`,
  ],
  [
    'a built-in that an object holds',
    `const o={x:0}; const t = {assign: Object.assign}; if (u.b) t.assign(o, {x:1}); await tools.sink({x:o.x})`,
  ],
  [
    'a function or a built-in that is called by `call`',
    `let x=0; const g=()=>{x=1}; (u.b ? g : String).call(null, 1); await tools.sink({x})`,
  ],
  [
    'a function or a built-in that is called by `apply`',
    `let x=0; const g=()=>{x=1}; (u.b ? g : String).apply(null, [1]); await tools.sink({x})`,
  ],
  [
    'whether something is a function',
    `let x=0; const g=()=>{x=1}; const f = u.b ? g : 5; if (typeof f === 'function') f(); await tools.sink({x})`,
  ],
  [
    'whether there is a function to call',
    `let x=0; const g=()=>{x=1}; const f = u.b ? g : undefined; f?.(); await tools.sink({x})`,
  ],
  [
    'whether there is a method to call',
    `let x=0; const o = {}; if (u.b) o.g = ()=>{x=1}; o.g?.(); await tools.sink({x})`,
  ],
  ['a method that is found by its name', `let x=0; const o={a(){x=1}, b(){}}; o[u.s](); await tools.sink({x})`],
  ['a method that may not be there', `let x=0; const o={a(){x=1}}; o[u.s]?.(); await tools.sink({x})`],
  [
    'what a method that is found by its name was given',
    `const t={x:0}; const o={a(p){p.x=1}, b(){}}; o[u.s](t); await tools.sink({x:t.x})`,
  ],
  [
    'a callback that is found by its place',
    `let x=0; const l=[() => {x=1}, () => {}]; [0].forEach(l[u.n]); await tools.sink({x})`,
  ],
  [
    'what was spread to a function that writes it',
    `const t={x:0}; const f=(p)=>{p.x=1}; f(...(u.b ? [t] : [{}])); await tools.sink({x:t.x})`,
  ],
  [
    'what comes after what was spread',
    `const t={x:0}; const f=(a,p)=>{p.x=1}; f(...(u.b ? [1] : [1,{}]), t); await tools.sink({x:t.x})`,
  ],
  [
    'a text that an object makes itself',
    `let x=0; const o={toString(){x=1; return 'o'}}; '' + (u.b ? o : 'a'); await tools.sink({x})`,
  ],
  [
    'texts of items that objects make themselves',
    `let x=0; const o={toString(){x=1; return 'o'}}; [u.b ? o : 'a'].join(); await tools.sink({x})`,
  ],
  [
    'a text in a template that an object makes itself',
    "let x=0; const o={toString(){x=1; return 'o'}}; const t = `${u.b ? o : 'a'}`; await tools.sink({x})",
  ],
  [
    'JSON that an object makes itself',
    `let x=0; const o={toJSON(){x=1; return 'o'}}; JSON.stringify(u.b ? o : 'a'); await tools.sink({x})`,
  ],
  [
    'a number that an object makes itself',
    `let x=0; const o={valueOf(){x=1; return 1}}; Math.max(u.b ? o : 1, 2); await tools.sink({x})`,
  ],
  [
    'a call that is made while a text is made',
    `const o={toString(){tools.sink({a:1}); return 'o'}}; const t = '' + (u.b ? o : 'a'); await tools.sink({y:1})`,
  ],
  [
    'a call that is made while JSON is made',
    `const o={toJSON(){tools.sink({a:1}); return 'o'}}; const t = JSON.stringify([u.b ? o : 'a']); await tools.sink({y:1})`,
  ],
  [
    'an item that makes its own text',
    `let x=0; const o={toString(){x=1; return 'o'}}; const l=[o]; if (u.b) l.pop(); const t = l + ''; await tools.sink({x})`,
  ],
  [
    'an object from entries that makes its own text',
    `let x=0; const o=Object.fromEntries([['toString', () => {x=1; return 'o'}]]); const t = (u.b ? o : 'a') + ''; await tools.sink({x})`,
  ],
  [
    'a number that an object makes to be compared',
    `let x=0; const o={valueOf(){x=1; return 1}}; const t = (u.b ? o : 2) < 3; await tools.sink({x})`,
  ],
  [
    'a text that an object makes to be sorted',
    `let x=0; const o={toString(){x=1; return 'a'}}; [u.b ? o : 2, 1].sort(); await tools.sink({x})`,
  ],
  [
    'a number that an object makes for a built-in',
    `let x=0; const o={valueOf(){x=1; return 1}}; 'abc'.slice(u.b ? o : 2); await tools.sink({x})`,
  ],
  [
    'which of two is asked for what comes next',
    `const it=[1,2].values(); (u.b ? it : [3].values()).next(); await tools.sink({x:it.next().value})`,
  ],
  [
    'whether something was gone through by spreading it',
    `const it=[1,2].values(); const t = [...(u.b ? it : [])]; await tools.sink({x:it.next().done})`,
  ],
  [
    'what a branch would have gone through',
    `const it=[1,2].values(); if (u.b) { const t = [...it] } await tools.sink({x:it.next().done})`,
  ],
  [
    'which of two dates was set',
    `const d=new Date(0); (u.b ? d : new Date(1)).setTime(5); await tools.sink({x:d.getTime()})`,
  ],
  [
    'a method of a date that sets it or not',
    `const d=new Date(0); d[u.b ? 'setTime' : 'getTime'](5); await tools.sink({x:d.getTime()})`,
  ],
  [
    'whether a default stands in',
    `let x=0; const g=()=>{x=1; return 2}; const f = (a = g()) => a; f(u.b ? undefined : 1); await tools.sink({x})`,
  ],
  [
    'whether a default is taken apart',
    `let x=0; const g=()=>{x=1; return 2}; const {a = g()} = {a: u.b ? undefined : 1}; await tools.sink({x})`,
  ],
  [
    'whether a member is absent',
    `let x=0; const g=()=>{x=1; return 2}; const o = {}; if (u.b) o.a = 1; const {a = g()} = o; await tools.sink({x})`,
  ],
  [
    'a default inside a list',
    `let x=0; const g=()=>{x=1; return 2}; const [a, [b = g()] = [1]] = [1, u.b ? [1] : []]; await tools.sink({x})`,
  ],
  [
    'a default inside a default',
    `let x=0; const g=()=>{x=1; return {b:2}}; const { a: { b = 3 } = g() } = { a: u.b ? undefined : {} }; await tools.sink({x, b})`,
  ],
  [
    'a default of a parameter that is taken apart',
    `let x=0; const g=()=>{x=1; return 2}; const f = ({ a = g() } = {}) => a; const r = f(u.b ? undefined : {a: 1}); await tools.sink({x, r})`,
  ],
  ['whether a key is there', `const o={}; if (u.b) o.x = 1; await tools.sink({x: 'x' in o})`],
  ['which of two is a key', `const a={}, m=new Map([[a,1]]); await tools.sink({x: m.has(u.b ? a : {})})`],
  [
    'which of two functions it is',
    `const f = () => 1, g = () => 1; const h = u.b ? f : g; await tools.sink({x: h === f})`,
  ],
  [
    'something that is given to a built-in twice',
    `const c = await tools.clean({}); const o={a:1}; Object.assign(o, [o, {b:1}][u.b ? 0 : 1]); if (c.b) await tools.sink({x:1})`,
  ],
  [
    'a pattern that a built-in only looks at',
    `const c = await tools.clean({}); const r=/x/g; Object.assign({}, u.b ? r : {}); if (c.b) await tools.sink({x:1})`,
  ],
  [
    'a pattern that is put into a list',
    `const c = await tools.clean({}); const r=/x/g; [].concat(u.b ? r : 1); if (c.b) await tools.sink({x:1})`,
  ],
  [
    'a list that is put into itself',
    `const c = await tools.clean({}); const l=[1]; l.splice(0, 0, u.b ? l : 1); if (c.b) await tools.sink({x:1})`,
  ],
  [
    'a map that is put into itself',
    `const c = await tools.clean({}); const m=new Map(); m.set('a', u.b ? m : 1); if (c.b) await tools.sink({x:1})`,
  ],
  [
    'a function for a method that was chosen with it',
    `let x=0; const l=[1]; l[u.b ? 'map' : 'concat'](u.b ? (() => { x = 1 }) : 1); await tools.sink({x})`,
  ],
  [
    'a pattern for a method that was chosen with it',
    `const r=/a/g; r.lastIndex=1; 'aa'[u.b ? 'replace' : 'concat'](u.b ? r : 'a', ''); await tools.sink({x:r.lastIndex})`,
  ],
  [
    'a tool in the place of a function',
    `let x=0; const f=()=>{x=1}; (u.b ? tools.clean : f)({}); await tools.sink({x})`,
  ],
  [
    'the same through a variable that holds a tool',
    `let x=0; const f=()=>{x=1}; const g = u.b ? tools.clean : f; g({}); await tools.sink({x})`,
  ],
  [
    'a key that was chosen for what is taken out',
    `const c = await tools.clean({}); const o={a:1}; if (u.b) delete o[u.n === 1 && 'a']; if (c.b) await tools.sink({x:1})`,
  ],
]
