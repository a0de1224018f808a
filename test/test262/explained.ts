/** Failures that are decisions: which tests, and why scripts differ. What is no decision stays a failure. */
const reasons: readonly (readonly [paths: RegExp, reason: string])[] = [
  [/^language\/statements\/return\/S12\.9_A1_T\d+/, 'A script may return at its top level.'],
  [
    /^language\/(expressions\/await\/await-in-|expressions\/assignmenttargettype\/simple-basic-identifierreference-await|statements\/labeled\/value-await-)/,
    '`await` is a keyword everywhere, since scripts may wait at their top level.',
  ],
  [
    /iteration-mutable\.js$|^built-ins\/Map\/prototype\/(clear\/map-data-list-is-preserved|delete\/does-not-break-iterators)/,
    '`next()` of what `keys()`, `values()` and `entries()` give goes through what was there when they were called; loops see changes.',
  ],
  [
    /^built-ins\/Promise\/(all|allSettled|any|race|resolve)\/|^language\/expressions\/await\/await-awaits-thenables/,
    'Objects with a function `then` are not promises: they are refused where they would be waited for.',
  ],
  [/property-order\.js$|ArrowFunction_restricted-properties/, 'Functions list no properties and have no `caller`.'],
  [/^built-ins\/Promise\/constructor\.js$/, '`Promise` is only constructed, so it is no function.'],
  [/^language\/expressions\/in\/S8\.12\.6_A2_T1/, 'Objects have no prototype, so `"valueOf" in {}` is false.'],
  [
    /^built-ins\/RegExp\/prototype\/exec\/.*lastindex/,
    '`lastIndex` is a number; an object put there is converted at once.',
  ],
  [/^built-ins\/String\/raw\//, '`String.raw` belongs to tagged templates, which are refused.'],
  [
    /^language\/statements\/for-of\/head-lhs-async-invalid/,
    '`for (async of …)` is read as a loop over a variable `async`, which is what it says.',
  ],
  [
    /^language\/statements\/(for-in|for-of|for)\/scope-(body|head)-lex-(open|close)/,
    'A function made in the head of a loop sees the variable of the head itself, not a copy of its own.',
  ],
]

/** Why a test may fail, if there is a reason. */
export function explained(name: string): string | undefined {
  return reasons.find(([paths]) => paths.test(name))?.[1]
}
