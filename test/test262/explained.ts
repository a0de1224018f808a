/** Failures that are decisions: which tests, and why scripts differ. What is no decision stays a failure. */
const reasons: readonly (readonly [paths: RegExp, reason: string])[] = [
  [
    /^language\/(expressions\/await\/await-in-|expressions\/assignmenttargettype\/simple-basic-identifierreference-await|statements\/labeled\/value-await-|(expressions|statements)\/class\/class-name-ident-await)/,
    '`await` is a keyword everywhere, since scripts may wait at their top level.',
  ],
  [
    /^language\/expressions\/assignment\/target-super-computed-reference/,
    '`super.x = …` sets a property of `this`; the message says to write `this.x = …`.',
  ],
]

/** Why a test may fail, if there is a reason. */
export function explained(name: string): string | undefined {
  return reasons.find(([paths]) => paths.test(name))?.[1]
}
