import { runScript } from '../differential/own-engine.ts'
import { readFrontMatter } from './front-matter.ts'
import { harness, knownIncludes, rewrite } from './harness.ts'
import { outside, refusalMessages, refusedFeatures } from './selection.ts'

export type Verdict =
  | { readonly kind: 'passed' | 'refused' | 'outside' | 'skipped' }
  | { readonly kind: 'failed'; readonly reason: string }

const skippedFlags = new Set(['module', 'raw', 'noStrict', 'CanBlockIsFalse', 'CanBlockIsTrue', 'non-deterministic'])

/** Runs one test of the suite. */
export async function runTest(source: string): Promise<Verdict> {
  const { flags, features, includes, negative } = readFrontMatter(source)
  if (flags.some((flag) => skippedFlags.has(flag))) return { kind: 'skipped' }
  if (features.some((feature) => refusedFeatures.has(feature))) return { kind: 'skipped' }
  if (includes.some((file) => !knownIncludes.has(file))) return { kind: 'outside' }
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  if (outside.some(([pattern]) => pattern.test(code))) return { kind: 'outside' }
  const isAsync = flags.includes('async')
  const program = `${harness}\n${rewrite(source)}\n${isAsync ? ';await $262_finished;' : ''}\n;return 'done'`
  // A test that must not parse is given alone, so that nothing else can be what is refused.
  const report = await runScript(negative?.phase === 'parse' ? source : program)
  if (negative !== undefined) return judgeNegative(report, negative.type)
  if (report.isRefused || refusalMessages.some((pattern) => pattern.test(report.text))) return { kind: 'refused' }
  return report.text === 'done' ? { kind: 'passed' } : { kind: 'failed', reason: report.text.slice(0, 160) }
}

function judgeNegative(report: { text: string; isRefused: boolean }, type: string): Verdict {
  if (report.isRefused) return { kind: 'refused' }
  return report.text.includes(type)
    ? { kind: 'passed' }
    : { kind: 'failed', reason: `expected ${type}, got ${report.text.slice(0, 120)}` }
}
