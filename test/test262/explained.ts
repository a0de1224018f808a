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
  [/^built-ins\/String\/raw\//, '`String.raw` belongs to tagged templates, which are refused.'],
  [
    /^language\/statements\/for-of\/head-lhs-async-invalid/,
    '`for (async of …)` is read as a loop over a variable `async`, which is what it says.',
  ],
]

/** Why a test may fail, if there is a reason. */
export function explained(name: string): string | undefined {
  return reasons.find(([paths]) => paths.test(name))?.[1]
}
