/** Failures that are decisions: what a test expects, and why scripts differ. A path ends a rule that names a folder. */
const reasons: readonly (readonly [path: string, reason: string])[] = []

/** Why a test may fail, if there is a reason. */
export function explained(name: string): string | undefined {
  return reasons.find(([path]) => name.startsWith(path))?.[1]
}
