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
]
